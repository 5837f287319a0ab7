import express, { type Express, type RequestHandler } from 'express'
import { mountResource } from 'resourcery'
import { show, spreadOf } from './statistics.js'

/*
 * A thousand resources with all seven actions on one router, and the same seven thousand routes on plain Express: how
 * long mounting takes and what stays in memory. Needs `--expose-gc`; the number of rounds is the first argument.
 */

const RESOURCES = 1000
const rounds = Number(process.argv[2] ?? 5)
const collect = globalThis.gc
if (collect === undefined) throw new Error('Run it with `node --expose-gc --import tsx spec/bench/mount-1000.ts`')

const answer = (): null => null
const handler: RequestHandler = (_req, res) => void res.json(null)

const ways: Record<string, (app: Express) => void> = {
  'plain Express': (app) => {
    const router = express.Router()
    for (let count = 0; count < RESOURCES; count++) {
      const path = `/things${count}`
      router.get(path, handler).post(path, handler).delete(path, handler)
      router.get(`${path}/:id`, handler).put(`${path}/:id`, handler).patch(`${path}/:id`, handler).delete(
        `${path}/:id`,
        handler,
      )
    }
    app.use('/api', router)
  },
  mountResource: (app) => {
    const router = express.Router()
    for (let count = 0; count < RESOURCES; count++) {
      mountResource(router, {
        route: `/things${count}`,
        name: `things${count}`,
        handlers: {
          list: answer,
          show: answer,
          create: answer,
          edit: answer,
          store: answer,
          delete: answer,
          deleteMany: answer,
        },
      })
    }
    app.use('/api', router)
  },
}

interface Round {
  readonly milliseconds: number
  readonly megabytes: number
}

function measure(mount: (app: Express) => void, freed: () => unknown): Round {
  const app = express()
  void freed()
  const before = process.memoryUsage().heapUsed
  const start = performance.now()
  mount(app)
  const milliseconds = performance.now() - start
  void freed()
  const megabytes = (process.memoryUsage().heapUsed - before) / 1e6
  if (app.router.stack.length === 0) throw new Error('Nothing was mounted')
  return { milliseconds, megabytes }
}

console.log(`Node ${process.versions.node}, ${RESOURCES} resources, ${rounds} rounds: median (least–most)`)
console.log('| way | ms | MB of heap |')
console.log('|---|---|---|')
for (const [way, mount] of Object.entries(ways)) {
  measure(mount, collect)
  const results = Array.from({ length: rounds }, () => measure(mount, collect))
  console.log(
    `| ${way} | ${show(spreadOf(results.map((round) => round.milliseconds)))} | ${
      show(spreadOf(results.map((round) => round.megabytes)), 1)
    } |`,
  )
}
