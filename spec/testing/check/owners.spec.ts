import { describe, expect, it } from 'vitest'
import { findOrFail, mountResource, paginate, param, RequestParam } from 'resourcery'
import type { CheckReport } from 'resourcery/testing'
import { z } from 'zod'
import { checkSmall, told } from './small-app.js'

const callers = { ann: { id: 7, role: 'u', email: 'ann@example.com' },
  ben: { id: 8, role: 'u', email: 'ben@example.com' } }

interface Faults {
  readonly isShown?: boolean
  readonly isListed?: boolean
}

/** Checks an app whose records belong to callers by a field that has one of their claims. */
function check(field: string, claim: 'id' | 'email',
  { isShown = false, isListed = false }: Faults): Promise<CheckReport>
{
  const rows = [1, 2, 3, 4].map((id) => ({ id, name: `Car ${id}`,
    [field]: id % 2 === 0 ? callers.ben[claim] : callers.ann[claim] })
  )
  const Car = z.object({ id: z.int(), name: z.string(), [field]: z.union([z.int(), z.string()]) })
  return checkSmall((router) =>
    mountResource(router, { app: 'x', route: '/cars', name: 'cars', handlers: {
      list: { input: z.object({ ids: z.string().max(60).optional() }), output: z.array(Car),
        handler: (req, _res, { ids }) => {
          const named = ids?.split(',')
          const seen = rows.filter((row) => (isListed && named !== undefined) || row[field] === req.auth?.[claim])
          return paginate(seen.filter(({ id }) => named?.includes(String(id)) !== false), RequestParam.page(req))
        } },
      show: { input: z.object({ id: param.int() }), output: Car, handler: (req, _res, { id }) =>
        findOrFail(rows.find((row) => row.id === id && (isShown || row[field] === req.auth?.[claim]))) },
    } }), { callers })
}

describe('checkApi on records of owners', () => {
  it.each([['driverId', 'id'], ['holder', 'id'], ['email', 'email']] as const)(
    'finds a record that is shown to others, whose owner is in `%s`',
    async (field, claim) => {
      expect(told(await check(field, claim, { isShown: true }))).toContainEqual(
        `GET /x/cars/:id: The record is shown to a caller whose list has only records with the own \`${field}\``,
      )
    },
  )

  it('finds records of others in a list that is asked for them by `ids`', async () => {
    expect(told(await check('holder', 'id', { isListed: true }))).toContainEqual(
      'GET /x/cars: `ids` adds records of others to the list, which it lacks otherwise',
    )
  })

  it('finds nothing without faults', async () => {
    expect(told(await check('driverId', 'id', {}))).toEqual([])
  })
})
