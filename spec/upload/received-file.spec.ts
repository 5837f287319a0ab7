import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { findOrFail } from '../../lib/errors.js'
import { RequestParam } from '../../lib/request-param.js'
import { send } from '../../lib/send.js'
import type { UploadedFile } from '../../lib/types.js'
import { fileOf } from '../support/multipart.js'
import { AVATAR, uploadApp, uploading } from './uploading.js'

/** What a handler finds out about a file. */
async function uploaded(content: Buffer, look: (file: UploadedFile) => Promise<unknown>, memoryBytes?: number): Promise<unknown> {
  const app = uploadApp({ avatar: {} }, async (req, res) => send(res, 'ok', await look(findOrFail(RequestParam.file(req, 'avatar')))), { memoryBytes })
  const { post } = await uploading(app)
  return (await post({ name: 'avatar', filename: 'a', content })).body.data
}

describe.each([['memory', undefined], ['a temporary file', 0]])('a file in %s', (_where, memoryBytes) => {
  const content = Buffer.concat([fileOf('png'), Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251))])

  it('gives its bytes, as a whole and as a stream, as often as wanted', async () => {
    const same = await uploaded(content, async (file) => {
      const [whole, first, second] = [await file.bytes(), await buffer(file.stream()), await buffer(file.stream())]
      return [whole, first, second].map((bytes) => bytes.equals(content))
    }, memoryBytes)
    expect(same).toEqual([true, true, true])
  })

  it('hands out a copy that may be changed', async () => {
    const same = await uploaded(content, async (file) => {
      (await file.bytes()).fill(0)
      return (await file.bytes()).equals(content)
    }, memoryBytes)
    expect(same).toBe(true)
  })

  it('is gone when the request has ended', async () => {
    let kept: UploadedFile | undefined
    const app = uploadApp({ avatar: {} }, (req, res) => {
      kept = findOrFail(RequestParam.file(req, 'avatar'))
      send(res, 'ok')
    }, { memoryBytes })
    const { post } = await uploading(app)
    await post({ name: 'avatar', filename: 'a', content })
    await expect.poll(() => kept && attempt(() => kept?.stream())).toContain('has ended, and its content was removed')
    await expect(kept?.bytes()).rejects.toThrow('has ended, and its content was removed')
  })
})

describe('a name', () => {
  it.each([
    ['../../x', 'x'],
    ['C:\\x', 'x'],
    ['.htaccess', '.htaccess'],
    ['a%0D%0Ab.png', 'ab.png'],
    ['фото 写真.png', 'фото 写真.png'],
  ])('%s is shown as %s', async (filename, shown) => {
    const { post } = await uploading(uploadApp(AVATAR))
    const { body } = await post({ name: 'avatar', filename, content: fileOf('png') })
    expect(body.data).toMatchObject({ files: [{ name: shown }] })
  })
})

function attempt(run: () => unknown): string {
  try {
    return String(run())
  } catch (error) {
    return String(error)
  }
}
