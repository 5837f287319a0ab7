import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openTemporaryFile, sweepTemporaryFiles } from '../../lib/core/upload/temporary-file.js'
import { temporaryNames } from './uploading.js'

vi.mock('node:fs/promises', { spy: true })

describe('a temporary file', () => {
  it('has no name in the file system', async () => {
    const file = await openTemporaryFile()
    onTestFinished(() => file.close())
    await file.write('abc')
    expect(temporaryNames()).toEqual([])
    expect((await file.stat()).nlink).toBe(0)
  })

  it('may already be deleted by another process', async () => {
    vi.mocked(unlink).mockRejectedValueOnce(Object.assign(new Error('gone'), { code: 'ENOENT' }))
    const file = await openTemporaryFile()
    await file.close()
    await sweepTemporaryFiles()
    expect(temporaryNames()).toEqual([])
  })

  it('is closed if it cannot be unlinked', async () => {
    vi.mocked(unlink).mockRejectedValueOnce(Object.assign(new Error('no'), { code: 'EPERM' }))
    await expect(openTemporaryFile()).rejects.toThrow('no')
    await sweepTemporaryFiles()
  })
})

describe('sweepTemporaryFiles', () => {
  it('deletes only the files of killed processes', async () => {
    const left = join(tmpdir(), `resourcery-${randomUUID()}.upload`)
    const other = join(tmpdir(), `resourcery-${randomUUID()}.notes`)
    onTestFinished(() => unlink(other))
    await Promise.all([writeFile(left, ''), writeFile(other, '')])
    await sweepTemporaryFiles()
    expect([existsSync(left), existsSync(other)]).toEqual([false, true])
  })
})
