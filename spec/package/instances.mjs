import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import express from 'express'

/*
 * Loads every subpath of the installed package by `require` and by `import`. `npm run test:package` runs it on every
 * supported Node.js; the argument names a folder with a second copy of the package.
 */

const require = createRequire(import.meta.url)
const manifest = require.resolve('resourcery/package.json')
const { exports } = JSON.parse(readFileSync(manifest, 'utf8'))
/** Entries without state: small ES modules with a copy as CommonJS. */
const COPIED = ['./client', './react-admin', './refine']

for (const subpath of Object.keys(exports).filter((one) => one !== './package.json')) {
  const id = `resourcery${subpath.slice(1)}`
  const required = require(id)
  const { default: _default, 'module.exports': _whole, ...imported } = await import(id)
  deepEqual(Object.keys(required).sort(), Object.keys(imported).sort(), id)
  if (COPIED.includes(subpath)) continue
  for (const name of Object.keys(imported)) equal(required[name], imported[name], `${name} of ${id}`)
}

const { NotFoundError, auth, issueToken, mountResource, serve, upload } = require('resourcery')
equal(typeof await issueToken('desk', { id: 1 }, { secret: 'a secret of this file with enough bytes' }), 'string')
upload({ photo: { types: ['image/png'] } })

const other = createRequire(join(process.argv[2], 'index.js'))('resourcery')
ok(other.NotFoundError !== NotFoundError && new other.NotFoundError() instanceof NotFoundError)
const app = express()
mountResource(app, { route: '/notes', name: 'notes', handlers: { list: () => [] } })
await rejects(other.serve(app, { port: 0 }), ({ name, code, message }) => {
  deepEqual([name, code], ['MisuseError', 'copies_mixed'])
  for (const folder of [dirname(manifest), join(process.argv[2], 'node_modules/resourcery')]) {
    ok(message.includes(folder), message)
  }
  return true
})
const guarded = express().use(other.auth('desk', { secret: 'a secret of this file with enough bytes' }))
await rejects(async () => mountResource(guarded, { route: '/notes', name: 'notes', handlers: { list: () => [] } }), {
  code: 'copies_mixed',
})
const { url, close } = await serve(express().get('/', (_req, res) => res.send('served')), { port: 0, signals: false })
match(await (await fetch(url)).text(), /^served$/)
await close()
equal(typeof auth, 'function')
