import { pathNamesOf } from '../../../core/index.js'
import type { JsonSchema } from '../../openapi/types.js'
import type { Run } from './run.js'
import { encode } from './send.js'
import { mayBeString } from './string-schemas.js'
import { queryOf, withArgument, withQuery } from './url-cases.js'
import type { CheckCase, Target } from './model.js'

/** Checks that no part of a request names a file outside of the folders that an application serves. */
export async function checkTraversals(run: Run): Promise<void> {
  for (const target of run.left()) {
    const [caller] = run.admitted(target)
    for await (const probe of caller === undefined ? [] : casesFor(run, target, caller)) {
      const { text } = await run.send(probe.request)
      if (!PASSWD.test(text)) continue
      await run.record(target, probe, { kind: 'leak',
        message: 'The reply is a file of the system that a request names' })
      break
    }
  }
}

/** The file of accounts, which every Unix has: it shows that any file can be read. */
const FILE = 'etc/passwd'
const PASSWD = /^root:[^:\n]*:0:0:/m

const PATHS = [`${'../'.repeat(12)}${FILE}`, `/${FILE}`, `${'....//'.repeat(12)}${FILE}`, `file:///${FILE}`]

/** Names of fields and parameters that programs take for a part of a path. */
const PART = /file|path|name|template|doc|page|view|dir|folder|image|photo|lang|locale|theme|include|report|key|url/i

async function* casesFor(run: Run, target: Target, caller: string): AsyncGenerator<CheckCase> {
  const make = await run.known.maker(target, caller)
  const isPart = (name: string, schema: JsonSchema): boolean => PART.test(name) && mayBeString(schema, run.resolve)
  const parameters = queryOf(target).filter(({ name, schema }) => isPart(name, schema))
  const fields = [...run.fieldsOf(target)].filter(([name, { schema }]) => isPart(name, schema))
  for (const path of PATHS) {
    for (const name of pathNamesOf(target.path)) {
      const request = make()
      yield { request: { ...request, path: withArgument(target, request.path, name, encode(path)) },
        about: `the path argument \`${name}\`` }
    }
    for (const { name } of parameters) {
      yield { request: withQuery(make(), name, path), about: `the parameter \`${name}\`` }
    }
    for (const [name] of fields) yield { request: make({ [name]: path }), about: `the field \`${name}\`` }
  }
}
