/** Reads pages until there are as many cursors as wanted. */
export async function cursorsOf(count: number, port: number): Promise<string[]> {
  const cursors: string[] = []
  for (let cursor = ''; cursors.length < count; cursors.push(cursor)) {
    const response = await fetch(`http://127.0.0.1:${port}/api/rows?cursor=${cursor}`)
    const { meta: { next } } = await response.json() as { meta: { next: string | null } }
    if (next === null) throw new Error(`There are ${cursors.length} cursors instead of ${count}`)
    cursor = next
  }
  return cursors
}
