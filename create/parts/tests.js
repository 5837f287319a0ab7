/** Writes the tests of the resource, for one of two runners. */
export function testFiles(context) {
  const { tests, auth, hasDatabase, ext, ts, when } = context
  const isVitest = tests === 'vitest'
  const equal = (actual, expected) =>
    isVitest ? `expect(${actual}).toBe(${expected})` : `assert.equal(${actual}, ${expected})`
  const reply = ts('<{ data: { id: number } }>')
  return {
    ...(environment(context) !== '' && { [`test/environment.${ext}`]: environment(context) }),
    ...(isVitest && { 'vitest.config.js': vitestConfig }),
    [`test/notes.test.${ext}`]: `\
${when(!isVitest, "import assert from 'node:assert/strict'\n")}\
${when(auth, "import { randomUUID } from 'node:crypto'\n")}\
${when(!isVitest, `import { after${when(hasDatabase, ', before')}, test } from 'node:test'\n`)}\
import { inject } from 'resourcery/testing'
${when(isVitest, `import { afterAll${when(hasDatabase, ', beforeAll')}, expect, test } from 'vitest'\n`)}\
${when(environment(context) !== '', "import './environment.js' // before the app\n")}\
import { app } from '../src/app.js'
import { closeDatabase } from '../src/database.js'
${when(hasDatabase, "import { migrate } from '../src/migrate.js'\n")}
${when(hasDatabase, `${isVitest ? 'beforeAll' : 'before'}(() => migrate())\n`)}\
${isVitest ? 'afterAll' : 'after'}(() => closeDatabase())
${
      when(auth, `
/** Registers a user and returns the header that signs the user in. */
async function signIn(name${ts(': string')}) {
  const body = { email: \`\${name}-\${randomUUID()}@example.test\`, password: 'correct horse' }
  ${equal("(await inject(app, { method: 'POST', path: '/register', body })).status", '201')}
  const { json } = await inject${ts('<{ data: { token: string } }>')}(app, { method: 'POST', path: '/login', body })
  return { Authorization: \`Bearer \${json.data.token}\` }
}

test('a note belongs to the user who created it', async () => {
  const [ann, ben] = [await signIn('ann'), await signIn('ben')]
  const created = await inject${reply}(app, { method: 'POST', path: '/notes', body: { title: 'Tea' }, headers: ben })
  ${equal('created.status', '201')}
  const path = \`/notes/\${created.json.data.id}\`
  ${equal("(await inject(app, { method: 'GET', path, headers: ann })).status", '404')}
  ${equal("(await inject(app, { method: 'GET', path, headers: ben })).status", '200')}
  ${equal("(await inject(app, { method: 'DELETE', path, headers: ben })).status", '200')}
})

test('notes need a token, and a login the right password', async () => {
  ${equal("(await inject(app, { method: 'GET', path: '/notes' })).status", '401')}
  const body = { email: 'nobody@example.test', password: 'wrong password' }
  ${equal("(await inject(app, { method: 'POST', path: '/login', body })).status", '401')}
})
`)
    }\
${
      when(!auth, `
test('a note is created, changed, found and deleted', async () => {
  const created = await inject${reply}(app, { method: 'POST', path: '/notes', body: { title: 'Tea' } })
  ${equal('created.status', '201')}
  const path = \`/notes/\${created.json.data.id}\`
  ${equal("(await inject(app, { method: 'PATCH', path, body: { done: true } })).status", '200')}
  ${equal("(await inject(app, { method: 'GET', path: '/notes?done=true&search=tea' })).status", '200')}
  ${equal("(await inject(app, { method: 'DELETE', path })).status", '200')}
  ${equal("(await inject(app, { method: 'GET', path })).status", '404')}
})
`)
    }
test('a note needs a title', async () => {
${when(auth, "  const headers = await signIn('cleo')\n")}\
  const reply = await inject(app, { method: 'POST', path: '/notes', body: { title: '' }${when(auth, ', headers')} })
  ${equal('reply.status', '422')}
})
`,
  }
}

/** Returns the settings of the tests: they never use the database of the program. */
const environment = ({ auth, hasDatabase, database, when }) =>
  `\
${when(auth, "process.env.AUTH_SECRET ??= 'a secret of the tests, at least 32 bytes'\n")}\
${
    when(hasDatabase,
      "process.env.DATABASE_URL = process.env.TEST_DATABASE_URL ?? '' // empty: PostgreSQL in this process\n")
  }\
${when(database === 'pglite', "process.env.DATA_FOLDER = '' // in memory\n")}`

const vitestConfig = `import { defineConfig } from 'vitest/config'

// A machine under load needs several seconds to start a database.
export default defineConfig({ test: { include: ['test/**/*.test.*'], testTimeout: 30_000, hookTimeout: 60_000 } })
`
