import { recordsIn, wordOf } from './collections.js'
import { memberOf, memberRequest, recordOf } from './members.js'
import { withQuery, type List } from './page-checks.js'
import { missingLike } from './tenant-pair.js'
import { reporter } from './run.js'
import { mayBeString } from './string-schemas.js'
import { queryOf } from './url-cases.js'

/** Names that a handler may search by without declaring them. */
const SEARCHES = ['search', 'q', 'query', 'filter', 'keyword', 'name']

/** Checks that no parameter of a list, and no id, is run as a part of a query. */
export async function checkInjections(list: List): Promise<void> {
  const { run, target } = list
  const parameters = queryOf(target)
  const declared = parameters.filter(({ schema }) => mayBeString(schema, run.resolve)).map(({ name }) => name)
  const names = [...new Set([...declared, ...SEARCHES, ...list.shown].filter((name) => !PAGING.has(name)))]
  for (const name of run.left(names)) {
    if (run.isKnown(target, 'leak')) return
    // A parameter that is ignored, or selects nothing, tells nothing.
    if (await countOf(list, name, NONE) !== 0) continue
    await checkSql(list, name)
    await checkOperators(list, name)
  }
  await checkIds(list)
}

const PAGING = new Set(['page', 'limit', 'cursor', 'include', 'fields', 'sort', 'order'])

/** A string that no record has. */
const NONE = 'zq7xnone'

/** Returns the number of records for a parameter, `undefined` if the request is refused. */
async function countOf(list: List, name: string, value: string): Promise<number | undefined> {
  const observed = await list.run.send(withQuery(list, [[name, value]]))
  return observed.status === 200 ? recordsIn(observed).length : undefined
}

/** Ends of a string in SQL, followed by a condition that is true, or that is false. */
const BREAKS: readonly ((condition: string) => string)[] = [
  (condition) => `${NONE}' OR ${condition} -- `,
  (condition) => `${NONE}') OR ${condition} -- `,
  (condition) => `${NONE}%' OR ${condition} -- `,
  (condition) => `${NONE}%') OR ${condition} -- `,
  (condition) => `${NONE}" OR ${condition} -- `,
]
const [TRUE, FALSE] = ["'a'='a'", "'a'='b'"]

async function checkSql(list: List, name: string): Promise<void> {
  for (const broken of BREAKS) {
    if (!(Number(await countOf(list, name, broken(TRUE))) > 0) || await countOf(list, name, broken(FALSE)) !== 0)
      continue
    return report(list.run, list.target, withQuery(list, [[name, broken(TRUE)]]), `\`${name}\` is run as a part of SQL`)
  }
}

/** Sends a condition of a database as an object: one that the server knows, and one that no server does. */
async function checkOperators(list: List, name: string): Promise<void> {
  const count = async (operator: string): Promise<number | undefined> => countOf(list, `${name}[${operator}]`, NONE)
  if (!(Number(await count('$ne')) > 0) || Number(await count('$zq7x')) > 0) return
  await report(list.run, list.target, withQuery(list, [[`${name}[$ne]`, NONE]]),
    `\`${name}\` is taken as an operator of a query`)
}

/** Reads a record by an id that only SQL reads as a condition. */
async function checkIds(list: List): Promise<void> {
  const { run, target, records: [record], request: { caller } } = list
  const show = memberOf(run, target.path, 'GET')
  if (show === undefined || record?.id === undefined) return
  const missing = missingLike(wordOf(record.id))
  for (const end of [` OR 'a'='a'`, ` OR 'a'='a' -- `, `' OR 'a'='a' -- `, `' OR 'a'='a`, `") OR ("a"="a`]) {
    const request = await memberRequest(run, show, caller, `${missing}${end}`)
    if (recordOf(await run.send(request)) === undefined) continue
    if ((await run.send(await memberRequest(run, show, caller, `${missing}zz`))).status === 200) return
    return run.record(show, { request, about: 'the id' }, { kind: 'leak', message: 'The id is run as a part of SQL' })
  }
}

const report = reporter('leak', 'a part of a query')
