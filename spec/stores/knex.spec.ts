import { describe, expect, it } from 'vitest'
import { raw } from 'resourcery/crud'
import { knexStore } from 'resourcery/knex'

/* These specs use the interface that the store needs; the real library is tested in spec/libraries. */

interface Note {
  id: number
  title: string
  doneOn: string | null
}

interface Raw {
  readonly isRawInstance: true
  readonly text: string
}

const linesOf = (dialect: string) =>
  [['note_id', dialect === 'mysql' ? 'integer' : 'int4'], ['title', 'varchar'], ['done_on', 'date']].map((
    [name, value],
  ) => ({ part: 'column', name, value }))

/** A recording Knex, with bindings in their places, that always returns the same row. */
function recording(dialect: string, rows: readonly unknown[] = [{ id: 1, title: 'Milk', doneOn: null }]) {
  const asked: string[] = []
  const rawOf = (text: string, bindings: readonly unknown[]): Raw => {
    const left = [...bindings]
    const written = text.replace(/\?\??/g, (mark) => {
      const binding = left.shift()
      return mark === '??'
        ? String(binding)
        : typeof binding === 'object' && binding !== null
        ? (binding as Raw).text
        : `<${String(binding)}>`
    })
    return { isRawInstance: true, text: written }
  }
  const answer = (question: string, result: readonly unknown[] | number) => {
    const steps = [question]
    const builder: Record<string, unknown> = {
      then: (resolve: (value: unknown) => void) => {
        asked.push(steps.join(' '))
        resolve(result)
      },
    }
    for (
      const name of [
        'select',
        'whereRaw',
        'orderByRaw',
        'limit',
        'offset',
        'forUpdate',
        'count',
        'insert',
        'update',
        'delete',
        'returning',
      ]
    ) {
      builder[name] = (...parts: readonly unknown[]) => {
        steps.push(
          name,
          ...parts.map((part) => (typeof part === 'object' && part !== null && 'text' in part
            ? String(part.text)
            : JSON.stringify(part))
          ),
        )
        if (name === 'delete') return answer(steps.join(' '), 1)
        return name === 'count' ? answer(steps.join(' '), [{ total: '1' }]) : builder
      }
    }
    return builder
  }
  const camel = (
    name: string,
  ): string => (name === 'note_id' ? 'id' : name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase()))
  const client = {
    dialect,
    config: {},
    wrapIdentifier: (name: string) => `"${name}"`,
    postProcessResponse: (
      [row]: readonly object[],
    ) => [Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [camel(name), value]))],
  }
  const knex = Object.assign((name: string) => answer(name, rows), {
    client,
    raw: rawOf,
    select: () => ({ from: ({ text }: Raw) => answer(`catalog ${text}`, linesOf(dialect)) }),
    transaction: async (work: (inside: unknown) => unknown): Promise<unknown> =>
      work(Object.assign((name: string) => answer(name, rows), knex, { isTransaction: true })),
  })
  return { asked, knex: knex as never, questions: () => asked.filter((question) => !question.startsWith('catalog')) }
}

describe('knexStore', () => {
  it.each<[code: string, misuse: () => unknown]>([
    ['knex_dialect', () => knexStore(recording('mssql').knex, 'notes')],
    ['knex_dialect', () => knexStore({} as never, 'notes')],
    ['knex_table', () => knexStore(recording('mysql').knex, '')],
    ['knex_table', () => knexStore(recording('mysql').knex, 'notes as n')],
    ['knex_table', () => knexStore(recording('mysql').knex, null as never)],
    ['knex_option_unknown', () => knexStore(recording('mysql').knex, 'notes', { colums: {} } as never)],
    ['knex_columns', () => knexStore<Note>(recording('mysql').knex, 'notes', { columns: { id: 'int' as 'integer' } })],
  ])('refuses %s', (code, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/\.$/) as string }))
  })

  it('looks up the table by its quoted name, also in a schema', async () => {
    const { knex, asked } = recording('postgresql')
    await knexStore<Note>(knex, 'app.notes').find([1])
    expect(asked[0]).toContain('to_regclass(<"app"."notes">::text)')
    expect(asked[1]).toBe('app.notes select "*" whereRaw id in (cast(<1> as bigint))')
  })

  it('returns the inserted row, by its key if the database returns no row', async () => {
    const postgres = recording('postgresql')
    expect(await knexStore<Note>(postgres.knex, 'notes').create({ title: 'Milk' })).toEqual({
      id: 1,
      title: 'Milk',
      doneOn: null,
    })
    expect(postgres.questions()).toEqual(['notes insert {"title":"Milk"} returning "*"'])
    const mysql = recording('mysql', [1])
    await expect(knexStore<Note>(mysql.knex, 'notes').create({ title: 'Milk' })).rejects.toThrow(
      'cannot be found by its key',
    )
    expect(mysql.questions()[1]).toBe('notes select "*" whereRaw id in (<1>)')
  })

  it('counts, pages, changes and deletes, and locks rows found in a transaction', async () => {
    const { knex, questions } = recording('postgresql')
    const store = knexStore<Note>(knex, 'notes', { columns: { doneOn: 'calendarDate' } })
    const list = store.list({ where: [['title', '=', 'Milk']], order: ['-doneOn', 'id'] })
    expect([await list.count?.(), await store.delete([1])]).toEqual([1, 1])
    await list.slice(4, 2)
    await store.transaction(async (inside) => {
      await inside.find([1])
      await inside.update(1, { title: 'Tea' })
    })
    expect(questions()).toEqual([
      'notes whereRaw title in (<Milk>) count "* as total"',
      'notes whereRaw id in (cast(<1> as bigint)) delete',
      'notes select "*" whereRaw title in (<Milk>) orderByRaw doneOn desc nulls last, id limit 2 offset 4',
      'notes select "*" whereRaw id in (cast(<1> as bigint)) orderByRaw id forUpdate',
      'notes whereRaw id in (cast(<1> as bigint)) update {"title":"Tea"} returning "*"',
    ])
  })

  it('accepts a raw statement as a condition, and a query as an `exists` condition', async () => {
    const { knex, questions } = recording('postgresql')
    const store = knexStore<Note>(knex, 'notes')
    const query = { _statements: [], _method: 'select', text: '(select 1)' }
    await store.find([1], [{ any: [[raw({ isRawInstance: true, text: 'a or b' })], [raw(query)]] }])
    expect(questions()[0]).toContain('((a or b) or (exists (select 1)))')
    await expect(store.find([1], [raw('1 = 1')])).rejects.toMatchObject({ code: 'store_raw' })
  })
})
