import express from 'express'
import { z } from 'zod'
import { openapi, openapiRouter } from 'resourcery/openapi'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { serve } from 'resourcery'

// How long a document of 500 resources takes, and serving it: `node --import tsx spec/bench/openapi.ts`.
const RESOURCES = 500

const app = express()
app.use(openapiRouter(app, { title: 'Large', version: '1.0.0' }))
const Id = z.object({ id: param.int() })
const nothing = (): never => null as never
for (let index = 0; index < RESOURCES; index++) {
  const output = z.object({ id: z.int(), name: z.string(), at: z.date(), count: z.int().default(3) }).meta({
    id: `Item${index}`,
  })
  const input = z.object({ name: z.string().max(9), count: param.int().default(1) })
  mountResource(app, {
    app: 'admin',
    route: `/items-${index}`,
    name: `items-${index}`,
    handlers: {
      list: { output: z.array(output), handler: nothing },
      show: { input: Id, output, handler: nothing },
      create: { input, output, handler: nothing },
      edit: { input: input.extend(Id.shape), output, handler: nothing },
      store: { input: input.partial().extend(Id.shape), output, handler: nothing },
      delete: { input: Id, handler: nothing },
      deleteMany: nothing,
    },
  })
}

async function timed(what: string, act: () => unknown): Promise<void> {
  const start = performance.now()
  await act()
  console.error(`${what}: ${(performance.now() - start).toFixed(0)} ms`)
}

await timed('made for the first time', () => openapi(app, { title: 'Large', version: '1.0.0' }))
await timed('made again', () => openapi(app, { title: 'Large', version: '1.0.0' }))
const { url, close } = await serve(app, { port: 0, signals: false })
for (const what of ['served for the first time', 'served again', 'served again']) {
  await timed(what, async () => (await fetch(`${url}/openapi.json`)).arrayBuffer())
}
await close()
