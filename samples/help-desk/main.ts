import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { serve } from 'resourcery'
import { helpDesk } from './app.js'
import { openDatabase } from './database.js'

const password = 'correct horse battery staple'
const folder = await mkdtemp(`${tmpdir()}/help-desk-`)
const app = helpDesk(await openDatabase(password), { secret: randomBytes(32), folder })
const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(`  curl --json '{ "email": "lea@example.test", "password": "${password}" }' ${url}/login  # data.token`)
console.log(`  curl '${url}/desk/tickets?include=customer,comments' -H "Authorization: Bearer $token"`)
