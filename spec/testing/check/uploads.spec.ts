import { describe, expect, it } from 'vitest'
import { findOrFail, mountResource, paginate, param, RequestParam } from 'resourcery'
import type { CheckReport } from 'resourcery/testing'
import { z } from 'zod'
import { checkSmall, told } from './small-app.js'

type Fault = 'keepsRow' | 'keepsContent'

/** Checks an app whose records are created by a form with a file. */
function check(fault?: Fault): Promise<CheckReport> {
  const File = z.object({ id: z.int(), name: z.string(), size: z.int() })
  const contents = new Map<number, string>()
  let files: z.output<typeof File>[] = []
  let count = 0
  const byId = z.object({ id: param.int() })
  return checkSmall((router) =>
    mountResource(router, { app: 'x', route: '/files', name: 'files', handlers: {
      list: { output: z.array(File), handler: (req) => paginate(files, RequestParam.page(req)) },
      show: { input: byId, output: File,
        handler: (_req, _res, { id }) => findOrFail(files.find((file) => file.id === id)) },
      create: { files: { file: { required: true, maxBytes: 100_000 } }, output: File, handler: async (req) => {
        const sent = findOrFail(RequestParam.file(req, 'file'))
        const file = { id: ++count, name: sent.name, size: sent.size }
        files.push(file)
        contents.set(file.id, Buffer.from(await sent.bytes()).toString('base64'))
        return file
      } },
      delete: { input: byId, handler: (_req, _res, { id }) => {
        findOrFail(files.find((file) => file.id === id))
        if (fault !== 'keepsRow') files = files.filter((file) => file.id !== id)
        if (fault !== 'keepsContent') contents.delete(id)
        return null
      } },
    }, custom: {
      content: { route: '/:id/content', input: byId, output: z.object({ base64: z.string() }),
        handler: (_req, _res, { id }) => ({ base64: findOrFail(contents.get(id)) }) },
    } })
  )
}

describe('checkApi on records that a form creates', () => {
  it('finds a record that is still there after its deletion', async () => {
    expect(told(await check('keepsRow')))
      .toContainEqual('DELETE /x/files/:id: The reply is 200, but the record is still there')
  })

  it('finds the content of a record that is left after its deletion', async () => {
    expect(told(await check('keepsContent')))
      .toContainEqual(
        expect.stringMatching(/^DELETE \/x\/files\/:id: The record is deleted, but .+ still has its content$/),
      )
  })

  it('finds nothing without faults', async () => {
    expect(told(await check())).toEqual([])
  })
})
