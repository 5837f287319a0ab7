/** Writes the program: the settings, the resource, the app and the server. */
export function appFiles(context) {
  const { ext } = context
  return {
    [`src/config.${ext}`]: config(context),
    [`src/notes.${ext}`]: notes(context),
    [`src/app.${ext}`]: app(context),
    [`src/server.${ext}`]: server(context),
  }
}

const config = ({ auth, hasDatabase, database, when }) =>
  `import { existsSync } from 'node:fs'
import { loadEnvFile } from 'node:process'

if (existsSync('.env')) loadEnvFile() // variables of the environment win over those of the file

export const port = Number(process.env.PORT ?? 3000)
${when(auth, "export const secret = process.env.AUTH_SECRET ?? '' // fewer than 32 bytes are refused\n")}\
${when(hasDatabase, 'export const databaseUrl = process.env.DATABASE_URL || undefined\n')}\
${
    when(database === 'pglite',
      'export const dataFolder = process.env.DATA_FOLDER || undefined // without it, rows are kept in memory\n')
  }`

const notes = ({ auth, ts, isTs, when }) =>
  `${when(isTs, "import type { Express } from 'express'\n")}\
import { mountResource, param } from 'resourcery'
import { crud } from 'resourcery/crud'
import { z } from 'zod'
import { notes } from './database.js'

const Note = z.object({ id: z.int(), title: z.string(), done: z.boolean() }).meta({ id: 'Note' })

/** Adds /notes: a list with pages, search and filters, and all that one note needs. */
export function mountNotes(app${ts(': Express')})${ts(': void')} {
  mountResource(app, {
    ${when(auth, "app: 'api', ")}route: '/notes', name: 'notes',
    ...crud(notes, {
      input: z.object({ title: z.string().min(1).max(200), done: param.bool().default(false) }),
      output: Note,
      sort: ['title'], search: ['title'], filters: { done: { eq: param.bool() } },
${when(auth, "      scope: (req) => [['ownerId', '=', Number(req.auth?.id)]], // each user has notes of their own\n")}\
    }),
  })
}
`

const app = ({ auth, docs, name, when }) =>
  `import express from 'express'
import { ${when(auth, 'auth, ')}errorHandler, notFound${when(auth, ', permission')} } from 'resourcery'
${when(docs, "import { openapiRouter } from 'resourcery/openapi'\n")}\
${when(auth, "import { secret } from './config.js'\n")}\
import { mountNotes } from './notes.js'
${when(auth, "import { mountSession } from './session.js'\n")}
export const app = express()

${when(docs, `app.use(openapiRouter(app, { title: '${name}', version: '0.1.0' })) // /openapi.json and /docs\n`)}\
${
    when(auth, `app.use(
  auth('api', { secret }),
  permission('api', { roles: { user: ['api.notes.*'], admin: ['*'] } }),
)
mountSession(app)
`)
  }\
mountNotes(app)
app.use(notFound(), errorHandler())
`

const server = ({ database, hasDatabase, when }) =>
  `import { serve } from 'resourcery'
import { app } from './app.js'
import { ${when(database === 'postgres', 'databaseUrl, ')}port } from './config.js'
import { closeDatabase } from './database.js'
${when(database === 'pglite', "import { migrate } from './migrate.js'\n")}\
${
    when(database === 'postgres', `
if (databaseUrl === undefined) throw new Error('Set DATABASE_URL to the address of the PostgreSQL server.')
`)
  }${when(database === 'pglite', '\nawait migrate()')}
const { url } = await serve(app, { port, onClose: closeDatabase })
console.log(\`listening on \${url}\`)
`
