import express, { type Request } from 'express'
import { describe, expectTypeOf, it } from 'vitest'
import { localDisk, mountResource, param, RequestParam, upload, type LocalDisk, type Storage, type UploadedFile } from 'resourcery'
import type { Readable } from 'node:stream'
import { z } from 'zod'

declare const req: Request

describe('uploads', () => {
  it('give a file or null, and a list', () => {
    expectTypeOf(RequestParam.file(req, 'avatar')).toEqualTypeOf<UploadedFile | null>()
    expectTypeOf(RequestParam.files(req, 'avatar')).toEqualTypeOf<UploadedFile[]>()
    expectTypeOf<UploadedFile['saveTo']>().returns.resolves.toEqualTypeOf<{ path: string; url: string }>()
  })

  it('know the rules of a field', () => {
    upload({ avatar: { types: ['image/png'], maxBytes: 1, maxCount: 2, required: true } }, { memoryBytes: 0 })
    // @ts-expect-error a misspelt rule
    upload({ avatar: { maxbytes: 1 } })
    // @ts-expect-error types are a list
    upload({ avatar: { types: 'image/png' } })
  })

  it('leave the arguments of an action to its input', () => {
    mountResource(express(), {
      route: '/a', name: 'a',
      custom: {
        b: {
          methods: ['POST'], route: '/:id/b', files: { avatar: {} }, input: z.object({ size: param.int() }),
          handler: (_req, _res, args) => expectTypeOf(args).toEqualTypeOf<{ id: string; size: number }>(),
        },
        c: {
          methods: ['POST'], route: '/c', handler: () => null,
          // @ts-expect-error files stand under the names of their fields
          files: ['avatar'],
        },
      },
    })
  })
})

describe('a storage', () => {
  it('is a local folder, or anything of its shape, flystorage\'s included', () => {
    expectTypeOf(localDisk('x', { baseUrl: '/' })).toEqualTypeOf<LocalDisk>()
    expectTypeOf<LocalDisk>().toExtend<Storage>()
    expectTypeOf<Flystorage>().toExtend<Storage>()
    expectTypeOf<{ write(path: string): void }>().not.toExtend<Storage>()
  })
})

/** What matters here of `FileStorage`. */
interface Flystorage {
  write(path: string, contents: Readable | string, options?: { mimeType?: string; size?: number; visibility?: string }): Promise<void>
  publicUrl(path: string, options?: { baseUrl?: string }): Promise<string>
  deleteFile(path: string, options?: { signal?: AbortSignal }): Promise<void>
}
