import { describe, expect, it } from 'vitest'
import { dataProvider } from 'resourcery/react-admin'
import { dataProvider as refineProvider } from 'resourcery/refine'

type Options = Parameters<typeof dataProvider>[1]

interface Sent {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: unknown
}

/** Returns a provider whose API replies with these values, and the requests that it has received. */
function replying(options: Options, reply: (sent: Sent) => object) {
  const received: Sent[] = []
  const all: Options = {
    ...options,
    fetch: async (address, { method = '', headers, body }) => {
      const sent = { method, url: new URL(address), headers: new Headers(headers), body }
      received.push(sent)
      const envelope = { code: 200, message: 'ok', data: null, meta: {}, ...reply(sent) }
      return Promise.resolve(Response.json(envelope, { headers: { ETag: '"v1"' } }))
    },
  }
  const url = 'http://127.0.0.1'
  return { provider: dataProvider(url, all), refine: refineProvider(url, all), received }
}

describe('a data provider', () => {
  it('does not end a list without a total whose last request has more rows than the page', async () => {
    const { provider } = replying({}, ({ url: { searchParams } }) => {
      const [page, limit] = [Number(searchParams.get('page')), Number(searchParams.get('limit'))]
      const rows = Array.from({ length: 180 }, (_, index) => ({ id: index + 1 }))
      return { data: rows.slice((page - 1) * limit, page * limit), meta: { page, limit } }
    })
    const read = async (page: number) => provider.getList('items', { pagination: { page, perPage: 150 } })
    const [first, second] = [await read(1), await read(2)]
    expect([first.data.length, first.pageInfo?.hasNextPage]).toEqual([150, true])
    expect([second.data.length, second.pageInfo?.hasNextPage]).toEqual([30, false])
  })

  it('finds the version of a nested record, whether its parent is named by a string or a number', async () => {
    const resources = { comments: { path: '/tickets/:ticketId/comments' } }
    const { provider, received } = replying({ resources }, () => ({ data: { id: 5, ticketId: 1, text: 'a' } }))
    const { data } = await provider.getOne('comments', { id: 5, meta: { ticketId: '1' } })
    await provider.update('comments', { id: 5, data: { ...data, text: 'b' }, previousData: data })
    expect(received.map(({ method, headers }) => [method, headers.get('If-Match')])).toEqual([
      ['GET', null],
      ['PATCH', '"v1"'],
    ])
  })

  it('sends the filters of a field without a time zone unchanged, those of ranges too', async () => {
    const resources = { events: { localTimes: ['startsAt'] } }
    const { provider, received } = replying({ resources }, () => ({ data: [] }))
    const [from, until] = ['2026-11-24T10:00', '2026-11-25T10:00']
    await provider.getList('events', { filter: { startsAt_gte: from, startsAt_lte: until, startsAt_ne: from } })
    expect(['gte', 'lte', 'ne'].map((kind) => received[0]?.url.searchParams.get(`startsAt_${kind}`)))
      .toEqual([from, until, from])
  })

  it('does not take the beginning of a path argument for the reference of a list', async () => {
    const resources = { comments: { path: '/tickets/:ticketId/comments', filters: [] } }
    const { provider } = replying({ resources }, () => ({ data: [] }))
    const meta = { ticketId: 1 }
    await expect(provider.getManyReference('comments', { target: 'ticket', id: 3, meta }))
      .rejects.toThrow('`comments` cannot be listed by `ticket`')
    await expect(provider.getManyReference('comments', { target: 'ticketId', id: 3 })).resolves.toBeDefined()
  })
  it.each([true, false])('creates each nested record below its own parent, with bulk: %s', async (bulk) => {
    const resources = { comments: { path: '/tickets/:ticketId/comments', bulk } }
    const { refine, received } = replying({ resources }, ({ body }) => {
      const { items, ...item } = JSON.parse(body as string) as { items?: object[] }
      return { data: items ?? { id: 1, ...item } }
    })
    const variables = [1, 1, '1', 2, 1].map((ticketId, index) => ({ id: index + 1, ticketId, text: `${index}` }))
    const { data } = await refine.createMany({ resource: 'comments', variables })
    expect(data.map(({ text }) => text)).toEqual(['0', '1', '2', '3', '4'])
    expect(received.map(({ url }) => url.pathname.replace('/comments', ''))).toEqual(
      bulk ? [1, 2, 1].map((id) => `/tickets/${id}/bulk`) : [1, 1, 1, 2, 1].map((id) => `/tickets/${id}`),
    )
  })
})
