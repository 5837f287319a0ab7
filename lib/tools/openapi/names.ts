import { singularOf, type MountedRoute } from '../../core/index.js'

/** A resource as a part of an identifier: `{ one: 'Post', many: 'Posts' }`. */
interface Noun {
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
  const used = new Map<T, readonly string[]>()
  const spell: Spell<T> = (some, ...more) =>
    new Map(some.map((item) => [item, naming.spell(item, new Set([...used.get(item) ?? [], ...more]))]))
  let names = spell(items)
  for (let changed = true; changed;) {
    changed = false
    for (const group of clashes(names, naming)) {
      const qualifier = qualifierFor(group, spell, naming)
      if (qualifier === undefined) continue
      for (const item of group) used.set(item, [...used.get(item) ?? [], qualifier])
      changed = true
    }
    if (changed) names = spell(items)
  }
  return numberNames(names, naming)
}

/** Returns the names of items with their qualifiers, and with others on trial. */
type Spell<T> = (items: readonly T[], ...more: readonly string[]) => Map<T, string>

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

function qualifierFor<T>(group: readonly T[], spell: Spell<T>, naming: Naming<T>): string | undefined {
  const [before] = spell(group).values()
  const trials = naming.qualifiers.map((qualifier) => ({ qualifier, names: spell(group, qualifier) }))
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
