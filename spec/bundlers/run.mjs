import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bundlers } from './bundlers.mjs'
import { checkFrontEnds } from './front-ends.mjs'
import { checkReplies } from './requests.mjs'

/*
 * Bundles program.mjs with every bundler, runs the bundle and sends it requests, and checks what bundles for browsers
 * contain: `npm run test:bundlers`. The built
 * package is packed and installed where it cannot find this repository, first without the packages for CSV. Arguments
 * select bundlers by their names.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))
const { version, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const chosen = process.argv.slice(2)
const scratch = mkdtempSync(join(tmpdir(), 'resourcery-bundlers-'))

try {
  run('npm', ['pack', '--silent', '--pack-destination', scratch], root)
  writeFileSync(join(scratch, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  cpSync(fileURLToPath(new URL('program.mjs', import.meta.url)), join(scratch, 'program.mjs'))
  install([join(scratch, `resourcery-${version}.tgz`), ...pinned('express', 'zod')])
  // ncc reads the tsconfig.json of the current folder.
  process.chdir(scratch)
  await checkFrontEnds(scratch)
  await checkAll('without the packages for CSV', false)
  install(pinned('csv-parse', 'csv-stringify'))
  await checkAll('with the packages for CSV', true)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function checkAll(title, hasCsv) {
  const program = join(scratch, 'program.mjs')
  for (const [name, bundle] of Object.entries({ 'no bundler': () => program, ...bundlers })) {
    if (chosen.length > 0 && !chosen.some((one) => name.startsWith(one))) continue
    // Outside of the folder with the packages, so that a bundle that has left one out does not find it.
    const folder = mkdtempSync(join(tmpdir(), 'resourcery-bundle-'))
    try {
      await check(await bundle(program, folder), folder, hasCsv)
      console.log(`ok      ${name}, ${title}`)
    } catch (error) {
      console.log(`FAILED  ${name}, ${title}\n${error.stack}`)
      process.exitCode = 1
      if (name === 'no bundler') throw error
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Runs a program and sends it requests. */
async function check(file, folder, hasCsv) {
  const uploads = join(folder, 'uploads')
  mkdirSync(uploads)
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: { ...process.env, UPLOADS: uploads },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const errors = []
  child.stderr.on('data', (data) => errors.push(data))
  const ended = once(child, 'exit')
  try {
    const [url] = await Promise.race([once(createInterface(child.stdout), 'line'), ended.then(() => [])])
    if (url === undefined) throw new Error(`The program ended:\n${Buffer.concat(errors).toString()}`)
    await checkReplies(url, hasCsv)
    const missing = Buffer.concat(errors).toString().match(/npm install [\w-]+/g) ?? []
    const expected = hasCsv ? '' : 'npm install csv-parse,npm install csv-stringify'
    if (missing.sort().join() !== expected) throw new Error(`Unexpected warnings:\n${Buffer.concat(errors).toString()}`)
  } finally {
    child.kill()
    await ended
  }
}

function pinned(...names) {
  return names.map((name) => `${name}@${devDependencies[name]}`)
}

function install(packages) {
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...packages], scratch)
}

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`)
}
