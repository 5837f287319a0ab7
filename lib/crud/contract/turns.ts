import { AsyncLocalStorage } from 'node:async_hooks'
import { lock, type Lock } from './lock.js'

/** The turns of one store: its writes and transactions run one at a time, also with those of stores joined to it. */
export interface Turns {
  group: Group
}

interface Group {
  readonly lock: Lock
  readonly members: readonly Turns[]
}

/** A turn of some stores of a group. */
interface Turn {
  readonly owners: readonly Turns[]
  isOver: boolean
}

const current = new AsyncLocalStorage<Turn>()

export function createTurns(): Turns {
  const members: Turns[] = []
  const turns = { group: { lock: lock(), members } }
  members.push(turns)
  return turns
}

/**
 * Runs work when it is the turn of a store. In a turn of another store of its group, such as in a hook, that is at
 * once: it would wait for itself.
 */
export function inTurn<T>(own: Turns, work: () => Promise<T>): Promise<T> {
  const { group } = own
  if (group.members.length === 1) return group.lock(work)
  const outer = current.getStore()
  const isInside = outer !== undefined && !outer.isOver && !outer.owners.includes(own)
    && outer.owners.some((owner) => owner.group === group)
  const run = async (): Promise<T> => {
    const turn: Turn = { owners: isInside ? [...outer.owners, own] : [own], isOver: false }
    try {
      return await current.run(turn, work)
    } finally {
      turn.isOver = true
    }
  }
  return isInside ? run() : group.lock(run)
}

/** Makes one group of two stores and those joined to either. Work under way ends before the first turn of the group. */
export function join({ group: one }: Turns, { group: other }: Turns): void {
  if (one === other) return
  const group = { lock: lock(), members: [...one.members, ...other.members] }
  const nothing = (): Promise<void> => Promise.resolve()
  void group.lock(() => Promise.all([one.lock(nothing), other.lock(nothing)]))
  for (const member of group.members) member.group = group
}
