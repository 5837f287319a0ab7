import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { serve } from 'resourcery'
import { bookings } from './app.js'
import { openDatabase, prepare } from './database.js'

const { DATABASE_URL, AUTH_SECRET, UPLOAD_DIR, PANEL_DIR, PORT = '3000', HOST = '127.0.0.1' } = process.env
const password = 'correct horse battery staple'
const db = await openDatabase(DATABASE_URL)
await prepare(db, password)
const app = bookings(db, {
  secret: AUTH_SECRET === undefined ? randomBytes(32) : Buffer.from(AUTH_SECRET),
  panel: PANEL_DIR,
  folder: UPLOAD_DIR ?? await mkdtemp(`${tmpdir()}/bookings-`),
})
const { url } = await serve(app, { port: Number(PORT), host: HOST })
const period = { startsAt: '2027-01-01T18:00:00Z', endsAt: '2027-01-01T20:00:00Z' }
const body = (roomId: number): string => JSON.stringify({ roomId, customerId: 1, title: 'Choir', ...period })
console.log(`listening on ${url}, documents at ${url}/docs${PANEL_DIR === undefined ? '' : `, panel at ${url}/panel/`}
sign-ins: nora@example.test owns north, ned@example.test is its clerk, sue@example.test owns south: ${password}

token=$(curl -s --json '{ "email": "nora@example.test", "password": "${password}" }' ${url}/login | jq -r .data.token)
desk() { curl -H "Authorization: Bearer $token" "$@"; }
desk --json '${body(1)}' ${url}/desk/bookings   # twice: the room is taken
desk --json '${body(3)}' -H 'Accept-Language: de' ${url}/desk/bookings   # a room of south
desk '${url}/desk/bookings?include=room,customer'`)
