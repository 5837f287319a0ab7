/** The settings of a tree with soft deletion. */
export interface Rules {
  readonly onDelete: 'restrict' | 'cascade' | 'reparent'
  readonly depth: number
  readonly size: number
}

export interface Folder {
  id: number
  code: string
  parentId: number | null
  /** The team of its scope. */
  readonly team: number
  version: number
  /** The deletion that marked it; null if it is not deleted. */
  deletion: number | null
}

export interface Sent {
  readonly code?: string
  readonly parentId?: number | null
}

export type Outcome = readonly [status: number, reason?: string]

export interface Nested {
  readonly id: number
  readonly children: readonly Nested[]
}

const OK: Outcome = [200]
const MISSING: Outcome = [404, 'not_found']
const NO_PARENT: Outcome = [422, 'validation']
const CIRCLE: Outcome = [409, 'conflict_cycle']
const HANGS: Outcome = [409, 'conflict_children']

/**
 * A plain list of folders with soft deletion, in the scopes of teams; a code is unique, among deleted folders and all
 * teams too.
 */
export class TreeModel {
  folders: Folder[] = []
  /** The team of the next call. */
  team = 1
  #deletions = 0

  readonly rules: Rules

  constructor(rules: Rules) {
    this.rules = rules
  }

  /** Returns the reply to a creation; `add` adds the folder once its id is known. */
  create({ code = '', parentId = null }: Sent): Outcome {
    return this.#placed(parentId, 1) ?? this.#claimed(code) ?? [201]
  }

  change(id: number, sent: Sent): Outcome {
    const folder = this.#live(id)
    if (folder === undefined) return MISSING
    const refused = this.#moved(folder, sent.parentId) ?? this.#claimed(sent.code ?? folder.code, folder)
    if (refused !== undefined) return refused
    // An empty partial update changes nothing, not even the version.
    if (Object.keys(sent).length > 0) Object.assign(folder, sent, { version: folder.version + 1 })
    return OK
  }

  delete(ids: readonly number[]): Outcome {
    const named = ids.map((id) => this.#live(id))
    if (named.includes(undefined)) return MISSING
    return this.#remove(named as Folder[], (folder) => folder.deletion === null, (going) => {
      this.#deletions++
      for (const folder of going) folder.deletion = this.#deletions
    })
  }

  purge(id: number): Outcome {
    const folder = this.#deleted(id)
    if (folder === undefined) return MISSING
    return this.#remove([folder], () => true, (going) => {
      this.folders = this.folders.filter((each) => !going.includes(each))
    })
  }

  restore(id: number): Outcome {
    const folder = this.#deleted(id)
    if (folder === undefined) return MISSING
    const together = this.rules.onDelete === 'cascade'
      ? this.#below([folder], (each) => each.deletion === folder.deletion)
      : []
    const parent = this.folders.find((each) => each.id === folder.parentId && each.deletion === null)
    const fits = folder.parentId === null
      || (parent !== undefined && this.#level(parent) + this.#height(folder, together) <= this.rules.depth)
    if (!fits) return [409, 'conflict_parent']
    for (const each of [folder, ...together]) Object.assign(each, { deletion: null, version: each.version + 1 })
    return OK
  }

  list(deleted: string | undefined): Folder[] {
    const listed = (folder: Folder): boolean =>
      deleted === 'with' || (folder.deletion !== null) === (deleted === 'only')
    return this.folders.filter((folder) => folder.team === this.team && listed(folder)).sort((a, b) => a.id - b.id)
  }

  /** Empty if it is refused. */
  nested(deleted: string | undefined): Nested[] | undefined {
    const rows = this.list(deleted)
    const grow = (parents: readonly Folder[]): Nested[] =>
      parents.map(({ id }) => ({ id, children: grow(rows.filter(({ parentId }) => parentId === id)) }))
    const forest = grow(rows.filter(({ parentId }) => !rows.some(({ id }) => id === parentId)))
    const levels = (nodes: readonly Nested[]): number =>
      Math.max(0, ...nodes.map(({ children }) => 1 + levels(children)))
    return rows.length > this.rules.size || levels(forest) > this.rules.depth ? undefined : forest
  }

  #remove(
    named: readonly Folder[],
    counts: (folder: Folder) => boolean,
    remove: (going: readonly Folder[]) => void,
  ): Outcome {
    const { onDelete, size } = this.rules
    const children = this.folders.filter((each) =>
      named.some(({ id }) => id === each.parentId) && !named.includes(each)
    )
    if (onDelete === 'restrict' && children.some(counts)) return HANGS
    const below = onDelete === 'cascade' ? this.#below(named, counts) : []
    const moved = onDelete === 'reparent' ? children : []
    const touched = [...below, ...moved]
    if (touched.length > size || touched.some(({ team }) => team !== this.team)) return HANGS
    if (onDelete === 'reparent') this.#reparent(named)
    for (const each of [...named, ...touched]) each.version++
    remove([...named, ...below])
    return OK
  }

  #reparent(named: readonly Folder[]): void {
    const parents = new Map(named.map(({ id, parentId }) => [id, parentId]))
    const staying = (
      id: number | null,
    ): number | null => (id !== null && parents.has(id) ? staying(parents.get(id) ?? null) : id)
    for (const each of this.folders) each.parentId = staying(each.parentId)
  }

  #moved(folder: Folder, parentId: number | null | undefined): Outcome | undefined {
    if (parentId === undefined || parentId === null || parentId === folder.parentId) return undefined
    if (parentId === folder.id) return CIRCLE
    const below = this.#below([folder], (each) => each.deletion === null)
    if (this.#live(parentId) === undefined) return NO_PARENT
    if (below.some(({ id }) => id === parentId)) return CIRCLE
    return below.length > this.rules.size ? HANGS : this.#placed(parentId, this.#height(folder, below))
  }

  #placed(parentId: number | null, height: number): Outcome | undefined {
    if (parentId === null) return undefined
    const parent = this.#live(parentId)
    return parent === undefined || this.#level(parent) + height > this.rules.depth ? NO_PARENT : undefined
  }

  #claimed(code: string, self?: Folder): Outcome | undefined {
    const other = this.folders.find((each) => each.code === code && each !== self)
    if (other === undefined) return undefined
    return [409, other.deletion === null || other.team !== this.team ? 'conflict' : 'conflict_deleted']
  }

  #live(id: number | null): Folder | undefined {
    return this.folders.find((each) => each.id === id && each.team === this.team && each.deletion === null)
  }

  #deleted(id: number): Folder | undefined {
    return this.folders.find((each) => each.id === id && each.team === this.team && each.deletion !== null)
  }

  #below(tops: readonly Folder[], counts: (folder: Folder) => boolean): Folder[] {
    const under = (id: number): Folder[] =>
      this.folders.filter((each) => each.parentId === id && counts(each)).flatMap((each) => [each, ...under(each.id)])
    return [...new Set(tops.flatMap(({ id }) => under(id)))].filter((each) => !tops.includes(each))
  }

  #level({ parentId }: Folder): number {
    const parent = this.folders.find(({ id }) => id === parentId)
    return 1 + (parent === undefined ? 0 : this.#level(parent))
  }

  #height({ id }: Folder, below: readonly Folder[]): number {
    return 1
      + Math.max(0, ...below.filter(({ parentId }) => parentId === id).map((child) => this.#height(child, below)))
  }
}
