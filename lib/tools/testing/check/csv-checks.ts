import type { KnownRecord } from './collections.js'
import { collectionsOf, createIn, listAll, memberRequest, ownMember, type Collection } from './members.js'
import type { Run } from './run.js'
import { isFreeText } from './string-schemas.js'
import type { Target } from './model.js'

/** Checks that no export has a cell that a spreadsheet runs as a formula. */
export async function checkExports(run: Run): Promise<void> {
  const targets = run.targets.filter((target) => target.method === 'GET' && isCsv(target))
  if (targets.length === 0) return
  for (const collection of run.left(collectionsOf(run))) {
    for (const start of STARTS) await createFormulas(collection, start)
    await changeToFormulas(collection)
  }
  for (const target of targets) await checkExport(run, target)
}

/** Returns the fields of a body that take any string. */
function freeNames(run: Run, target: Target): string[] {
  return [...run.fieldsOf(target)].filter(([, { schema }]) => isFreeText(schema, run.resolve)).map(([name]) => name)
}

function isCsv({ entry, operation, path }: Target): boolean {
  return /csv/i.test(String(entry?.produces)) || /csv|export/i.test(path)
    || Object.values(operation?.responses ?? {}).some((response) =>
      'content' in response && Object.keys(response.content ?? {}).some((type) => type.includes('csv'))
    )
}

/** The characters with which formulas begin. */
const STARTS = ['=', '+', '-', '@']

const formulaOf = (start: string): string => `${start}zq7x(1)`

/** Creates a record whose strings are formulas: all of them at once, otherwise those that are accepted alone. */
async function createFormulas(collection: Collection, start: string): Promise<void> {
  const { run, create } = collection
  const names = freeNames(run, create)
  if (names.length === 0) return
  const fieldsOf = (chosen: readonly string[]): KnownRecord =>
    Object.fromEntries(chosen.map((name) => [name, `${formulaOf(start)} ${run.known.next()}`]))
  if (await createIn(collection, fieldsOf(names)) !== undefined) return
  for (const name of names) await createIn(collection, fieldsOf([name]))
}

/** Changes the strings of some records: an export may show what belongs to them, and not what is new. */
async function changeToFormulas(collection: Collection): Promise<void> {
  const { run, caller } = collection
  const change = ownMember(collection, 'PATCH')
  if (change === undefined) return
  const names = freeNames(run, change)
  const records = (await listAll(collection))?.slice(0, 3) ?? []
  for (const [index, { id }] of records.entries()) {
    const request = await memberRequest(run, change, caller, id)
    for (const name of names) {
      const json = { [name]: `${formulaOf(STARTS[index % STARTS.length] ?? '=')} ${run.known.next()}` }
      await run.send({ ...request, body: { json } })
    }
  }
  run.known.forget()
}

async function checkExport(run: Run, target: Target): Promise<void> {
  const caller = run.admitted(target)[0]
  if (caller === undefined || run.isOver()) return
  const request = await run.valid(target, caller)
  const { status, headers, text } = await run.send(request)
  if (status !== 200 || headers['content-type']?.[0]?.includes('csv') !== true) return
  const start = STARTS.find((one) => hasCell(text, formulaOf(one)))
  if (start === undefined) return
  await run.record(target, { request, about: 'a cell of the export' }, { kind: 'leak',
    message: `A cell of the export begins with \`${start}\`, so that a spreadsheet runs it as a formula` })
}

function hasCell(text: string, start: string): boolean {
  return [start, `"${start}`].some((cell) =>
    text.startsWith(cell) || [',', ';', '\t', '\n'].some((separator) => text.includes(`${separator}${cell}`))
  )
}
