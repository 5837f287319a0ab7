import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { findOrFail } from 'resourcery'
import { RequestParam } from 'resourcery'
import { send } from 'resourcery'
import type { UploadedFile } from 'resourcery'
import { fileOf } from '../support/multipart.js'
import { AVATAR, uploadApp, uploading } from './uploading.js'

/** Uploads a file and returns what the handler returns. */
async function uploaded(
  content: Buffer,
  look: (file: UploadedFile) => Promise<unknown>,
  memoryBytes?: number,
): Promise<unknown> {
  const app = uploadApp(
    { avatar: {} },
    async (req, res) => send(res, 'ok', await look(findOrFail(RequestParam.file(req, 'avatar')))),
    { memoryBytes },
  )
  const { post } = await uploading(app)
  return (await post({ name: 'avatar', filename: 'a', content })).body.data
}

describe.each([['memory', undefined], ['a temporary file', 0]])('an uploaded file in %s', (_where, memoryBytes) => {
  const content = Buffer.concat([fileOf('png'), Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251))])

  it('returns its bytes and streams repeatedly', async () => {
    const same = await uploaded(content, async (file) => {
      const [whole, first, second] = [await file.bytes(), await buffer(file.stream()), await buffer(file.stream())]
      return [whole, first, second].map((bytes) => bytes.equals(content))
    }, memoryBytes)
    expect(same).toEqual([true, true, true])
  })

  it('returns a copy of its bytes each time', async () => {
    const same = await uploaded(content, async (file) => {
      ;(await file.bytes()).fill(0)
      return (await file.bytes()).equals(content)
    }, memoryBytes)
    expect(same).toBe(true)
  })

  it('is not readable after the request has ended', async () => {
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

describe('the name of an uploaded file', () => {
  it.each([
    ['../../x', 'x'],
    ['C:\\x', 'x'],
    ['.htaccess', '.htaccess'],
    ['a%0D%0Ab.png', 'ab.png'],
    ['фото 写真.png', 'фото 写真.png'],
  ])('is cleaned: %s becomes %s', async (filename, shown) => {
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
