import express from 'express'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { mountResource } from '../../../lib/core/resource/mount-resource.js'
import { serve } from '../../../lib/core/serve/serve.js'
import { sample } from '../../../lib/tools/testing/sample-row.js'
import type { Connect } from './tables.js'

/*
 * Serves samples from a process of its own, as in `lost-server.ts knex PostgreSQL postgres://…`. The first sample named
 * `waits` stays between two statements of its transaction until the parent process sends a message.
 */

const [library = '', name = '', url = ''] = process.argv.slice(2)
type Named = readonly (readonly [name: string, connect: Connect])[]
const { databases, pools = [] } = await import(`./${library}.ts`) as { readonly databases: Named;
  readonly pools?: Named }
const connect = new Map([...databases, ...pools]).get(name)
if (connect === undefined) throw new Error(`${library} has no database "${name}".`)
const { samples } = await connect.open(url)

let hasWaited = false

/** Waits for a message of the parent process, but for the first sample alone: a store may repeat a transaction. */
async function waits({ name }: { readonly name: string }): Promise<void> {
  if (name !== 'waits' || hasWaited) return
  hasWaited = true
  const told = new Promise((resolve) => process.once('message', resolve))
  process.send?.('waiting')
  await told
}

const app = express()
mountResource(app, {
  route: '/samples',
  name: 'samples',
  ...crud(samples, {
    input: z.object({ name: z.string() }),
    output: z.object({ id: z.int(), name: z.string() }),
    before: { create: ({ name }) => sample({ name, code: name }) },
    after: { create: waits },
    bulk: ['createMany'],
  }),
})
app.use(errorHandler({ log: () => undefined }))
const served = await serve(app, { port: 0, host: '127.0.0.1' })
process.send?.(served.url)
