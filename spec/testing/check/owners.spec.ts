import type { Request } from 'express'
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

  it.each([[true, ['GET /x/wallets/:id/payments: The request is accepted for a record of which GET /x/wallets/:id '
    + 'says that it does not exist']], [false, []]] as const)(
      'finds parts of the records of others where an unknown record has an empty list (%s)',
      async (isOpen, findings) => {
        const wallets = [1, 2, 3, 4].map((id) => ({ id, name: `Wallet ${id}`, holder: 7 + id % 2 }))
        const payments = [1, 2, 3, 4].map((id) => ({ id: id + 10, walletId: id, cents: id * 100 }))
        const ownOf = (req: Request): typeof wallets => wallets.filter(({ holder }) => holder === req.auth?.id)
        const byId = z.object({ id: param.int() })
        const Wallet = z.object({ id: z.int(), name: z.string() })
        const report = await checkSmall(
          (router) =>
            mountResource(router, { app: 'x', route: '/wallets', name: 'wallets', handlers: {
              list: { output: z.array(Wallet), handler: (req) => paginate(ownOf(req), RequestParam.page(req)) },
              show: { input: byId, output: Wallet,
                handler: (req, _res, { id }) => findOrFail(ownOf(req).find((one) => one.id === id)) },
            }, custom: {
              payments: { route: '/:id/payments', input: byId,
                output: z.array(z.object({ id: z.int(), walletId: z.int(), cents: z.int() })),
                handler: (req, _res, { id }) =>
                  payments.filter(({ walletId }) =>
                    walletId === id && (isOpen || ownOf(req).some((one) => one.id === id))
                  ) },
            } }),
          { callers },
        )
        expect(told(report)).toEqual(findings)
      },
    )
})
