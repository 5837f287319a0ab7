import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import express, { Router } from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { unknownFunctions } from '../../lib/core/express/release.js'
import { root } from '../support/processes.js'

/** Returns a folder with an express and a router in which `router.handle` has another source. */
function unknownRelease(): string {
  const folder = mkdtempSync(join(root, 'node_modules/.release-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['express', 'router']) {
    cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true })
  }
  const file = join(folder, 'node_modules/router/index.js')
  const source = readFileSync(file, 'utf8')
  writeFileSync(file, source.replace("debug('dispatching %s %s'", "debug('handling %s %s'"))
  return folder
}

it('every function of the installed release is known', () => {
  expect(unknownFunctions(express)).toEqual([])
})

it('a function of another release is unknown', () => {
  const folder = unknownRelease()
  const installed = createRequire(join(folder, 'index.js'))('express') as typeof express
  expect(unknownFunctions(installed)).toEqual(['router.handle'])
})

it('a function that a tool has replaced belongs to no release', () => {
  const prototype = Router.prototype as { handle: (...args: unknown[]) => unknown }
  const { handle } = prototype
  onTestFinished(() => void (prototype.handle = handle))
  prototype.handle = function observed(...args) {
    return handle.apply(this, args)
  }
  expect(unknownFunctions(express)).toEqual([])
})

it('an unknown release is logged once by `serve`, and not without the fast path', () => {
  const folder = unknownRelease()
  cpSync(join(root, 'lib'), join(folder, 'lib'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const code = `
    import express from 'express'
    import { errorHandler, serve } from './lib/entries/index.ts'
    for (const fast of [false, true, true]) {
      console.error(fast)
      const app = express().get('/', (req, res) => res.send('ok')).use(errorHandler())
      const { url, close } = await serve(app, { port: 0, signals: false, fast })
      console.error(await (await fetch(url)).text())
      await close()
    }`
  const { stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, RESOURCERY_FAST: '' },
  })
  const lines = stderr.split('\n').filter((line) => !line.startsWith('(Use `node'))
  expect(lines).toEqual([
    'false',
    'ok',
    'true',
    expect.stringMatching(/RESOURCERY_EXPRESS_UNKNOWN\].* not know `router.handle` of/) as string,
    'ok',
    'true',
    'ok',
    '',
  ])
})
