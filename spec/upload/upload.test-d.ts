import express, { type Request } from 'express'
import { describe, expectTypeOf, it } from 'vitest'
import { localDisk, mountResource, param, RequestParam, upload, type LocalDisk, type Storage, type UploadedFile } from 'resourcery'
import type { Readable } from 'node:stream'
import { z } from 'zod'

declare const req: Request

describe('the types of uploads', () => {
  it('return a file or null, and a list', () => {
    expectTypeOf(RequestParam.file(req, 'avatar')).toEqualTypeOf<UploadedFile | null>()
    expectTypeOf(RequestParam.files(req, 'avatar')).toEqualTypeOf<UploadedFile[]>()
    expectTypeOf<UploadedFile['saveTo']>().returns.resolves.toEqualTypeOf<{ path: string; url: string }>()
  })

  it('accept only the rules of a field', () => {
    upload({ avatar: { types: ['image/png'], maxBytes: 1, maxCount: 2, required: true } }, { memoryBytes: 0 })
    // @ts-expect-error a misspelt rule
    upload({ avatar: { maxbytes: 1 } })
    // @ts-expect-error types are a list
    upload({ avatar: { types: 'image/png' } })
  })

  it('take the arguments of an action from its input only', () => {
    mountResource(express(), {
      route: '/a', name: 'a',
      custom: {
        b: {
          methods: ['POST'], route: '/:id/b', files: { avatar: {} }, input: z.object({ size: param.int() }),
          handler: (_req, _res, args) => expectTypeOf(args).toEqualTypeOf<{ id: string; size: number }>(),
        },
        c: {
          methods: ['POST'], route: '/c', handler: () => null,
          // @ts-expect-error files are not arguments
          files: ['avatar'],
        },
      },
    })
  })
})

describe('the type Storage', () => {
  it('fits localDisk, flystorage and objects of the same shape', () => {
    expectTypeOf(localDisk('x', { baseUrl: '/' })).toEqualTypeOf<LocalDisk>()
    expectTypeOf<ReturnType<LocalDisk['publicUrl']>>().toEqualTypeOf<string>()
    expectTypeOf<LocalDisk>().toExtend<Storage>()
    expectTypeOf<Flystorage>().toExtend<Storage>()
    expectTypeOf<{ write(path: string): void }>().not.toExtend<Storage>()
  })
})

/** The part of `FileStorage` that the test needs. */
interface Flystorage {
  write(path: string, contents: Readable | string, options?: { mimeType?: string; size?: number; visibility?: string }): Promise<void>
  publicUrl(path: string, options?: { baseUrl?: string }): Promise<string>
  deleteFile(path: string, options?: { signal?: AbortSignal }): Promise<void>
}
