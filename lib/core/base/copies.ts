import { fileURLToPath } from 'node:url'
import { hasProperties } from './guards.js'
import { MisuseError } from './misuse.js'

/*
 * A program may load several copies of this package, such as one of a dependency. Each has a route table of its own, so
 * the guards of one know nothing of the routes of another: what a copy has made is recorded for all copies.
 */

/** A loaded copy of the package. */
interface Copy {
  readonly folder: string
}

const self: Copy = {
  get folder() {
    try {
      return fileURLToPath(import.meta.url).replace(/^(.*)[\\/](?:dist|lib)[\\/].*$/, '$1')
    } catch {
      return 'a bundle' // in which a module has no file of its own
    }
  },
}

const OWNERS = Symbol.for('resourcery.owners')

/** The copies that have made the routes and guards of this realm. */
const owners = sharedOwners()

function sharedOwners(): WeakMap<object, Copy> {
  const realm: { readonly [OWNERS]?: WeakMap<object, Copy> } & object = globalThis
  const shared = realm[OWNERS]
  if (shared !== undefined) return shared
  const created = new WeakMap<object, Copy>()
  Reflect.defineProperty(realm, OWNERS, { value: created })
  return created
}

/** Records that this copy has made a route or a guard. */
export function recordOwner(made: object): void {
  owners.set(made, self)
}

/** @throws MisuseError `copies_mixed` for a route or a guard that another copy of the package has made. */
export function checkOwner(made: unknown): void {
  const owner = hasProperties(made) ? owners.get(made) : undefined
  if (owner === undefined || owner === self) return
  const isSame = owner.folder === self.folder
  const places = isSame ? `${self.folder}, which was loaded twice` : `${owner.folder} and ${self.folder}`
  throw new MisuseError(
    'copies_mixed',
    `Routes and their guards come from two copies of resourcery: ${places}. They do not know of each other: mount, `
      + 'guard and serve with one copy. `npm ls resourcery` shows who installs each.',
  )
}
