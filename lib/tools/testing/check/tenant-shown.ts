import { pathNamesOf } from '../../../core/index.js'
import { collectionOf, isAdmitted, readRequest, wordOf } from './collections.js'
import type { Target } from './model.js'
import { isDivided, isForeign, report, type Pair } from './tenant-pair.js'

/**
 * Asks routes such as `/cards/:id` that have no list of their own for records of the other tenant, by the ids of all
 * lists: a reply with strings that only the other tenant can list is a finding.
 */
export async function checkShown(pair: Pair, lists: readonly Target[], foreign: readonly string[]): Promise<void> {
  const { run, one } = pair
  const shows = run.targets.filter((target) =>
    target.method === 'GET' && isAdmitted(target.access[one])
    && isWithoutList(pair, target)
  )
  const ids = shows.length === 0 ? [] : await foreignIds(pair, lists)
  for (const target of run.left(shows)) {
    const [name = ''] = pathNamesOf(target.path)
    for (const id of ids) {
      if (run.isKnown(target, 'tenant') || run.isOver()) break
      const request = readRequest(target, { [name]: id }, one)
      if (!isForeign(pair, await run.send(request), foreign)) continue
      await report(run, target, request, 'The caller reaches a record of another tenant')
    }
  }
}

function isWithoutList({ run }: Pair, target: Target): boolean {
  const [name, ...others] = pathNamesOf(target.path)
  return name !== undefined && others.length === 0 && run.known.listAt(collectionOf(target, name)) === undefined
}

/** Returns an id of each list in which the tenants have different records. */
async function foreignIds(pair: Pair, lists: readonly Target[]): Promise<string[]> {
  const ids = new Set<string>()
  for (const { path } of lists) {
    const id = await isDivided(pair, path) ? (await pair.run.known.ownRecords(path, pair.other)).at(-1)?.id : undefined
    if (id !== undefined) ids.add(wordOf(id))
  }
  return [...ids]
}
