import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { unknownRelease } from '../express/unknown-release.js'
import { root, runProgram } from '../support/processes.js'

it('with `RESOURCERY_FAST=off` serve replaces nothing', () => {
  const code = `
    import express from 'express'
    import { errorHandler, mountResource, serve } from './lib/entries/index.ts'
    const app = express()
    const { request, response } = app
    mountResource(app, { route: '/posts', name: 'posts', handlers: { list: () => [] } })
    app.use(errorHandler())
    const { url, close } = await serve(app, { port: 0, signals: false })
    const { status } = await fetch(url + '/posts')
    console.log(status, app.request === request, app.response === response, app.router.stack.length)
    await close()`
  const { stdout, stderr } = runProgram(code, { env: { RESOURCERY_FAST: 'off' } })
  expect([stdout.trim(), stderr]).toEqual(['200 true true 2', ''])
})

it('with `NODE_DEBUG=resourcery` serve logs why only Express serves a route', () => {
  const code = `
    import { app } from './spec/fast/obstacles-app.ts'
    import { serve } from './lib/entries/index.ts'
    for (const fast of [true, false]) await (await serve(app, { port: 0, fast, signals: false })).close()`
  const { stderr } = runProgram(code, { env: { NODE_DEBUG: 'resourcery' } })
  expect(stderr.replace(/ \d+: /g, ' ').trim().split('\n')).toEqual([
    'RESOURCERY Only Express serves /of/:tenant/users: the Router at `/of/:tenant` has callbacks of `param`, or '
    + '`mergeParams`.',
    'RESOURCERY The fast path is switched off.',
  ])
})

it('an engine that refuses code generation compiles no schema, with equal replies', () => {
  const code = `
    import { z } from 'zod'
    import { checkOf } from './lib/core/fast/compile-output.ts'
    import { parseOutput } from './spec/fast/parse-output.ts'
    const schema = z.object({ id: z.int() })
    console.log(String(checkOf(schema)({ id: 1 })), JSON.stringify(parseOutput(schema, { id: 1, hash: 'secret' }, (error) => error)))`
  expect(runProgram(code).stdout).toBe('[object Object] {"id":1}\n')
  const flags = ['--disallow-code-generation-from-strings']
  expect(runProgram(code, { flags }).stdout).toBe('undefined {"id":1}\n')
})

it('an unknown release of Express is logged once by `serve`, and not without the fast path', () => {
  const cwd = unknownRelease()
  cpSync(join(root, 'lib'), join(cwd, 'lib'), { recursive: true })
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
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
  const { stderr } = runProgram(code, { cwd, env: { RESOURCERY_FAST: '' } })
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
