import { AsyncLocalStorage } from 'node:async_hooks'

/** Runs one call at a time, in the order in which they came; a call that fails does not stop the next. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>

export function createLock(): Lock {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

/** The turns of one store: its writes and transactions run one at a time, also with those of stores joined to it. */
export interface Turns {
  group: Group
  /** True once another store takes turns with it: only then can a transaction of that one have written to it. */
  isShared: boolean
}

interface Group {
  readonly lock: Lock
  readonly members: readonly Turns[]
}

/** The state of a store inside a turn, and the function that makes it the state of the store. */
export interface Copy<State> {
  readonly state: State
  readonly commit: () => void
}

/** A turn of some stores of a group. */
export interface Turn {
  readonly owners: readonly Turns[]
  /** True if it is no part of a turn of another store. */
  readonly isOutermost: boolean
  /** The states of stores that a transaction writes, committed together at the end of the outermost turn. */
  readonly copies: Map<Turns, Copy<unknown>>
  isOver: boolean
}

const currentTurn = new AsyncLocalStorage<Turn>()

export function createTurns(): Turns {
  const members: Turns[] = []
  const turns: Turns = { group: { lock: createLock(), members }, isShared: false }
  members.push(turns)
  return turns
}

/** Returns the state of a store in the transaction of another one that runs here, if it has written to this one. */
export function stateInTurn(own: Turns): unknown {
  const turn = currentTurn.getStore()
  return turn === undefined || turn.isOver ? undefined : turn.copies.get(own)?.state
}

/**
 * Runs work when it is the turn of a store. In a turn of another store of its group, such as in a hook, that is at
 * once: it would wait for itself.
 */
export function inTurn<T>(own: Turns, work: (turn: Turn) => Promise<T>): Promise<T> {
  const { group } = own
  const outer = group.members.length === 1 ? undefined : currentTurn.getStore()
  const isInside = outer !== undefined && !outer.isOver && !outer.owners.includes(own)
    && outer.owners.some((owner) => owner.group === group)
  const run = async (): Promise<T> => {
    const turn: Turn = isInside
      ? { ...outer, owners: [...outer.owners, own], isOutermost: false }
      : { owners: [own], isOutermost: true, copies: new Map(), isOver: false }
    try {
      return await (group.members.length === 1 ? work(turn) : currentTurn.run(turn, () => work(turn)))
    } finally {
      turn.isOver = true
    }
  }
  return isInside ? run() : group.lock(run)
}

/** Makes one group of two stores and those joined to either. Work under way ends before the first turn of the group. */
export function joinTurns({ group: one }: Turns, { group: other }: Turns): void {
  if (one === other) return
  const group = { lock: createLock(), members: [...one.members, ...other.members] }
  const nothing = (): Promise<void> => Promise.resolve()
  void group.lock(() => Promise.all([one.lock(nothing), other.lock(nothing)]))
  for (const member of group.members) {
    member.group = group
    member.isShared = true
  }
}
