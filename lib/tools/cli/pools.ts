import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The parts of a `pg.Pool` that are read. */
interface Pool {
  listenerCount(event: string): number
}

type PoolClass = new(...args: readonly unknown[]) => Pool

/** A pool that was made while an app was loaded, and the line that made it. */
interface Made {
  readonly pool: Pool
  readonly line: string
}

/** Libraries that listen for lost connections of the pools that they make. */
const LISTENING = /node_modules[\\/](?:@prisma|typeorm|sequelize|knex)[\\/]/

/**
 * Notes each `pg.Pool` that is made from now on, by the node-postgres of a project. Returns a function that describes
 * those without the listeners that survive a lost connection.
 */
export function watchPools(folder: string): () => readonly string[] {
  const made: Made[] = []
  const postgres = postgresOf(folder)
  if (postgres !== undefined) {
    postgres.Pool = new Proxy(postgres.Pool, {
      construct: (target, args, own) => {
        const pool = Reflect.construct(target, args, own) as Pool
        made.push({ pool, line: callerOf(new Error().stack ?? '', folder) })
        return pool
      },
    })
  }
  return () => made.filter(({ pool, line }) => !LISTENING.test(line) && !isGuarded(pool)).map(({ line }) => line)
}

function postgresOf(folder: string): { Pool: PoolClass } | undefined {
  try {
    return createRequire(join(folder, 'package.json'))('pg') as { Pool: PoolClass }
  } catch {
    return undefined
  }
}

/** Returns the line that called, relative to the project: the third of a stack. */
function callerOf(stack: string, folder: string): string {
  const lines = stack.split('\n').slice(1).filter((line) =>
    !/[\\/]resourcery[\\/]dist|tools[\\/]cli[\\/]pools/.test(line)
  )
  const [, place = 'an unknown place'] = /\(?((?:file:\/\/)?[/\\A-Z][^()]*:\d+):\d+\)?$/.exec(lines[0] ?? '') ?? []
  return place.replace('file://', '').replace(`${folder}/`, '')
}

/** Stores of Drizzle and Knex listen for `acquire`, programs for `connect`. */
function isGuarded(pool: Pool): boolean {
  const hasClients = pool.listenerCount('connect') + pool.listenerCount('acquire') > 0
  return pool.listenerCount('error') > 0 && hasClients
}
