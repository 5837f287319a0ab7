import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from '../../lib/crud.js'
import { param } from '../../lib/param.js'
import { mountResource } from '../../lib/resource/mount-resource.js'
import { openEmbedded, type TestDatabase } from '../support/databases.js'
import { createSamples, openSamples, type SampleTables } from '../support/sample-store.js'
import { servingRoutes } from './serving.js'

/** Strings in the spirit of the Big List of Naughty Strings: each has broken something somewhere. */
const NAUGHTY = [
  '', ' ', 'undefined', 'null', 'NaN', '-1', '0x10', '1e400', '9223372036854775808', '-9223372036854775809', '٣', '１', '\u0000', 'a\u0000b', '\ud800',
  "'", '"', '`', '\\', "\\'", "''", '%', '_', '!', '!%', '%00', '$1', '?', '??', ':id', '@x', '{}', '[]', '[$ne]', '-', '--', ',', ';', '#', '/*', '*/',
  "1;drop table samples", "1'; drop table samples; --", "' or '1'='1", '1) or (1=1', "') union select code from samples --", 'id desc', 'id;--', 'id"', '(select 1)', 'samples.id',
  '1 or 1=1', "1' AND SLEEP(5)#", 'pg_sleep(5)', "';waitfor delay '0:0:5'--", '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '$where', '../../etc/passwd',
  '<script>alert(1)</script>', '${7*7}', '{{7*7}}', '%s%s%n', '\r\nSet-Cookie: a=b', '\u202etest', '\ufeff', '\u200b', '田中さん', '👩‍👩‍👧‍👦', 'Ω≈ç√', 'ﬀ', 'İ', 'ß', 'e\u0301', '社會科學院', '𝕿𝖍𝖊', 'é'.repeat(300),
]

const Out = z.object({ id: z.int(), code: z.string(), name: z.string(), age: z.int().nullable(), views: z.int(), createdAt: z.date() })

describe('whatever a caller sends', () => {
  let database: TestDatabase<SampleTables>
  beforeAll(async () => {
    database = await openEmbedded<SampleTables>()
    await createSamples(database)
  })
  afterAll(() => database.close())

  it('never reaches SQL as text: no position of any string is a 500, and the table stands', async () => {
    const broken: string[] = []
    const { store } = await openSamples(database.db)
    await store.create({ code: 'first', name: 'Ann', age: 1, views: 1, active: true, createdAt: new Date() })
    const { send } = await servingRoutes((app) => mountResource(app, {
      route: '/samples', name: 'samples',
      ...crud(store, {
        input: z.object({ code: z.string().max(50), name: z.string().max(200), age: param.int().optional() }), output: Out, sort: ['name', 'createdAt'], search: ['name', 'code'],
        filters: { code: { eq: z.string() }, name: { contains: true }, age: { range: param.int() }, views: { oneOf: param.int() }, createdAt: { range: param.date() } },
        before: { create: (fields) => ({ ...fields, views: 0, active: true, createdAt: new Date(), age: fields.age ?? null }) },
      }),
    }))
    const parameters = ['page', 'limit', 'search', 'sort', 'cursor', 'ids', 'code', 'name', 'age_gte', 'age_lte', 'views', 'createdAt_gte']
    for (const text of NAUGHTY) {
      const encoded = encodeURIComponent(text.replace(/\p{Surrogate}/gu, ''))
      const replies = await Promise.all([
        ...parameters.flatMap((name) => [send('GET', `/samples?${name}=${encoded}`), send('GET', `/samples?${name}[${encoded}]=1`)]),
        send('GET', `/samples?${encoded}=1`), send('GET', `/samples?sort=-${encoded}`), send('DELETE', `/samples?ids=${encoded}`),
        send('DELETE', '/samples', { body: { ids: [text] } }), send('POST', '/samples', { body: { [text]: 1, code: text, name: text } }),
        send('PATCH', '/samples/1', { body: { [text]: text, name: text } }), send('PUT', '/samples/1', { body: { code: text, name: text, age: text } }),
        ...(encoded === '' || encoded === '.' ? [] : [send('GET', `/samples/${encoded}`), send('DELETE', `/samples/${encoded}9`)]),
      ])
      broken.push(...replies.filter(({ status }) => status >= 500).map(({ status }) => `${text}: ${status}`))
      for (const { status, body } of replies) if (status < 300) expect(body.code).toBe(status)
    }
    expect(broken).toEqual([])
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBeGreaterThan(1)
  })

  it('comes back as it was written', async () => {
    const { store } = await openSamples(database.db)
    const { post } = await servingRoutes((app) => mountResource(app, {
      route: '/samples', name: 'samples',
      ...crud(store, { input: z.object({ name: z.string().max(200) }), output: Out, before: { create: ({ name }) => ({ name, code: String(Math.random()), views: 0, active: true, age: null, createdAt: new Date() }) } }),
    }))
    // The embedded PostgreSQL decodes texts without a byte order mark in front; a server keeps it.
    for (const text of NAUGHTY.filter((text) => text !== '\ufeff' && !text.includes('\0') && !/\p{Surrogate}/u.test(text) && text.length <= 200)) {
      expect(((await post('/samples', { name: text })).body.data as { name: string }).name).toBe(text)
    }
  })
})
