import { pathNamesOf } from '../../../core/index.js'
import { EVIL_PARAMETER } from './hostile.js'
import { admittedRoutes } from './checking.js'
import { isAdmitted, readRequest, recordsIn, wordOf } from './collections.js'
import type { Run } from './run.js'
import type { CheckRequest, Target } from './model.js'

/** Uploads files whose names have quotes and letters that a header cannot have, and downloads them. */
export async function checkFileNames(run: Run): Promise<void> {
  for (const [target, caller] of admittedRoutes(run)) {
    const hasFiles = Object.keys(target.entry?.files ?? {}).length > 0
    for (const name of hasFiles ? NAMES : []) await checkName(run, target, caller, name)
  }
}

const NAMES = [`a"; ${EVIL_PARAMETER}="b`, 'Zoë 名前', "it's 100% [1]"]

async function checkName(run: Run, target: Target, caller: string, name: string): Promise<void> {
  const request = renamed(await run.valid(target, caller), name)
  const [record] = recordsIn(await run.probe(target, { request, about: 'the name of a file' }))
  run.known.forget()
  if (record === undefined) return
  const own = await run.known.valuesFor(target, caller)
  // What was uploaded may be sent at the same path and below it.
  const downloads = run.targets.filter(({ method, path, access }) =>
    method === 'GET' && (path === target.path || path.startsWith(`${target.path}/:`)) && isAdmitted(access[caller])
  )
  for (const download of downloads) {
    const values = { ...await run.known.valuesFor(download, caller), ...own }
    const last = pathNamesOf(download.path).at(-1) ?? ''
    const isNew = record.id !== undefined && own[last] === undefined
    const request = readRequest(download, { ...values, ...(isNew && { [last]: wordOf(record.id) }) }, caller)
    await run.probe(download, { request, about: 'the name of a file' })
  }
}

function renamed(request: CheckRequest, name: string): CheckRequest {
  const { body } = request
  if (body === undefined || !('form' in body)) return request
  const form = body.form.map((part) => {
    const ending = /\.\w+$/.exec(part.file?.name ?? '')?.[0] ?? ''
    return part.file === undefined ? part : { ...part, file: { ...part.file, name: `${name}${ending}` } }
  })
  return { ...request, body: { form } }
}
