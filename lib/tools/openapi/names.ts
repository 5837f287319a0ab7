import { singularOf, type MountedRoute } from '../../core/index.js'

/** A resource as a part of an identifier: `{ one: 'Post', many: 'Posts' }`. */
export interface Noun {
  readonly one: string
  readonly many: string
}

/** Returns the noun of a route's resource; every part of a dotted name is in it, as in `TicketComments`. */
export function nounOf({ resource, singular }: MountedRoute): Noun {
  const parts = resource.split('.')
  const last = parts.pop() ?? ''
  const before = parts.map((part) => toPascalCase(singularOf(part))).join('')
  return { one: before + toPascalCase(singular ?? singularOf(last)), many: before + toPascalCase(last) }
}

/**
 * Joins the words of a name, each with a capital: `blog-posts` becomes `BlogPosts`; an acronym stays as it is written.
 */
export function toPascalCase(name: string): string {
  return name.split(/[^A-Za-z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** The same with a small first letter. */
export function toCamelCase(name: string): string {
  const pascal = toPascalCase(name)
  return pascal.charAt(0).toLowerCase() + pascal.slice(1)
}

/** The rules for naming a set of items. */
export interface Naming<T> {
  /** Returns the name of an item with these qualifiers in it. */
  readonly spell: (item: T, qualifiers: ReadonlySet<string>) => string
  /** The qualifiers that a name may have, the best first. */
  readonly qualifiers: readonly string[]
  /** Items of one identity share a name. */
  readonly identityOf: (item: T) => unknown
  /** Names that are given already, with the identities that have them. */
  readonly taken?: ReadonlyMap<string, unknown>
}

/**
 * Gives each item a name. Items that would share one are all qualified, by the first qualifier that distinguishes
 * them all, or otherwise by the first that distinguishes some; the remaining ones are numbered, in the order of the
 * items.
 */
export function distinctNames<T>(items: readonly T[], naming: Naming<T>): Map<T, string> {
  const used = new Map<T, ReadonlySet<string>>(items.map((item) => [item, new Set()]))
  let names = spellName(items, used, naming)
  for (let changed = true; changed;) {
    changed = false
    for (const group of clashes(names, naming)) {
      const qualifier = qualifierFor(group, used, naming)
      if (qualifier === undefined) continue
      for (const item of group) used.set(item, adding(qualifier, used.get(item)))
      changed = true
    }
    if (changed) names = spellName(items, used, naming)
  }
  return numberNames(names, naming)
}

type Used<T> = ReadonlyMap<T, ReadonlySet<string>>

function adding(qualifier: string, qualifiers: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  return new Set([...qualifiers, qualifier])
}

function spellName<T>(items: readonly T[], used: Used<T>, { spell }: Naming<T>, more?: string): Map<T, string> {
  return new Map(items.map((item) => {
    const qualifiers = used.get(item) ?? new Set()
    return [item, spell(item, more === undefined ? qualifiers : adding(more, qualifiers))]
  }))
}

/** Returns the items that share a name and are not of one identity. */
function clashes<T>(names: ReadonlyMap<T, string>, { identityOf, taken }: Naming<T>): T[][] {
  const groups = new Map<string, T[]>()
  for (const [item, name] of names) {
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [item])
    else group.push(item)
  }
  return [...groups].flatMap(([name, group]) => {
    if (group.length === 1 && taken?.has(name) !== true) return []
    const identities = new Set(group.map(identityOf))
    if (taken?.has(name) === true) identities.add(taken.get(name))
    return identities.size > 1 ? [group] : []
  })
}

function qualifierFor<T>(group: readonly T[], used: Used<T>, naming: Naming<T>): string | undefined {
  const before = [...spellName(group, used, naming).values()][0]
  const trials = naming.qualifiers.map((qualifier) => ({ qualifier, names: spellName(group, used, naming, qualifier) }))
  const telling = trials.filter(({ names }) => [...names.values()].some((name) => name !== before))
  const best = telling.find(({ names }) => clashes(names, naming).length === 0)
    ?? telling.find(({ names }) => new Set(names.values()).size > 1)
  return best?.qualifier
}

function numberNames<T>(names: ReadonlyMap<T, string>, naming: Naming<T>): Map<T, string> {
  const result = new Map(names)
  const all = new Map<string, unknown>(naming.taken)
  for (const [item, name] of names) {
    const identity = naming.identityOf(item)
    const free = freeName(name, (candidate) => all.has(candidate) && all.get(candidate) !== identity)
    all.set(free, identity)
    result.set(item, free)
  }
  return result
}

/** Returns a name that is not taken, with a number where that is needed. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name
  for (let number = 2; isTaken(free); number++) free = `${name}${number}`
  return free
}
