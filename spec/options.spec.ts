import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import express, { type Request, type Response } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { auth } from 'resourcery'
import { issueToken } from 'resourcery'
import { sendCsv } from 'resourcery/csv'
import { errorHandler } from 'resourcery'
import { openapi, openapiRouter } from 'resourcery/openapi'
import { checkOptionNames } from '../lib/core/base/options.js'
import { BusinessError, ConflictError, ForbiddenError, HttpError, UnauthorizedError, UnavailableError,
  ValidationError } from 'resourcery'
import { paginate, toPage } from 'resourcery'
import { permission } from 'resourcery'
import { RequestParam } from 'resourcery'
import { resource } from 'resourcery'
import { mountController } from 'resourcery'
import { mountDeclaration } from '../lib/core/resource/mount-resource.js'
import { mountRoutes } from 'resourcery'
import { localDisk } from 'resourcery'
import { upload } from 'resourcery'

const KNOWN = ['secret', 'clockTolerance', 'renew']

const check = (options: unknown): void =>
  checkOptionNames("auth('admin')", options, { names: KNOWN, renamed: { slide: 'renew' } })

describe('checkOptions', () => {
  it('accepts known options', () => {
    expect(() => check({})).not.toThrow()
    expect(() => check({ secret: 1, renew: undefined })).not.toThrow()
  })

  it.each([
    ['secrets', 'Did you mean `secret`? '],
    ['SECRET', 'Did you mean `secret`? '],
    ['clocktolerence', 'Did you mean `clockTolerance`? '],
    ['renw', 'Did you mean `renew`? '],
    ['audience', ''],
    ['constructor', ''],
    ['x', ''],
  ])('refuses the unknown option %s with a close match and all options', (name, question) => {
    expect(() => check({ secret: 1, [name]: 1 })).toThrow(expect.objectContaining({
      name: 'MisuseError',
      code: 'option_unknown',
      message:
        `auth('admin'): there is no option \`${name}\`. ${question}The options are secret, clockTolerance, renew.`,
    }))
  })

  it('refuses a former option with its new name', () => {
    expect(() => check({ slide: true })).toThrow("auth('admin'): the option `slide` was renamed to `renew`.")
  })

  it.each([[null, 'null'], [[], 'a list'], ['60', '"60"'], ['x'.repeat(40), 'a string'], [60, '60'], [
    () => 1,
    'a function',
  ]])('refuses %j, which is not an object', (options, shown) => {
    expect(() => check(options)).toThrow(
      expect.objectContaining({
        code: 'options_shape',
        message: `auth('admin'): the options must be an object, not ${shown}.`,
      }),
    )
  })
})

describe('an unknown option', () => {
  const secret = 'a secret of more than thirty-two bytes for the tests'
  const request = Object.assign(new IncomingMessage(new Socket()), { query: {} }) as Request
  const handler = (): number => 1
  const declare = (more: object): void =>
    mountDeclaration(express(), { route: '/users', name: 'users', handlers: { list: handler }, ...more })
  const act = (more: object): void => declare({ handlers: { list: { handler, ...more } } })
  const document = { title: 'T', version: '1' }

  it.each<[string, string, () => unknown]>([
    ['auth', 'renew', () => auth('a', { secret, renw: true } as never)],
    ['auth with renewal', 'reload', () => auth('a', { secret, renew: { relaod: () => null } } as never)],
    [
      'auth with keys',
      'audience',
      () => auth('a', { jwks: { keys: [] }, issuer: 'i', audience: 'a', audiance: 'a' } as never),
    ],
    ['auth with a check', 'timeout', () => auth('a', { verify: () => null, timeuot: 5 } as never)],
    ['permission', 'allows', () => permission('a', { allow: () => true } as never)],
    ['errorHandler', 'log', () => errorHandler({ logg: () => undefined } as never)],
    ['mountResource', 'handlers', () => declare({ handler: {} })],
    ['mountResource of guards', 'guards', () => declare({ guard: [] })],
    ['an action', 'output', () => act({ outptu: z.string() })],
    ['a custom action', 'methods', () => declare({ custom: { one: { method: 'GET', route: '/one', handler } } })],
    ['the body of an action', 'limit', () => act({ body: { limits: 5 } })],
    [
      'a header of an action',
      'required',
      () => act({ responseHeaders: { ETag: { description: 'x', require: true } } }),
    ],
    [
      'the files of an action',
      'maxBytes',
      () => declare({ handlers: { create: { handler, files: { avatar: { maxByte: 5 } } } } }),
    ],
    ['mountRoutes', 'routes', () => mountRoutes(express(), { route: '/x', routes: {}, routess: {} } as never)],
    [
      'a route of mountRoutes',
      'summary',
      () => mountRoutes(express(), { route: '/x', routes: { one: { route: '/one', handler, sumary: 'x' } } } as never),
    ],
    ['mountController', 'methods', () => mountController(express(), '/x', { run: handler }, { method: {} } as never)],
    ['an action of a chain', 'status', () => resource(express(), '/x').list({ handler, satus: 200 } as never)],
    ['upload', 'textBytes', () => upload({}, { textByte: 5 } as never)],
    ['localDisk', 'baseUrl', () => localDisk('x', { baseUrl: '/', baseURI: '/' } as never)],
    ['openapi', 'servers', () => openapi(express(), { ...document, server: [] } as never)],
    ['the contact of a document', 'email', () => openapi(express(), { ...document, contact: { mail: 'x' } } as never)],
    ['a server of a document', 'url', () => openapi(express(), { ...document, servers: [{ uri: 'x' }] } as never)],
    ['openapiRouter', 'protect', () => openapiRouter(express(), { ...document, protects: [] } as never)],
    ['issueToken', 'expiresIn', () => issueToken('a', { id: 1 }, { secret, expireIn: 5 } as never)],
    ['paginate', 'total', () => paginate([], { page: 1, limit: 5, totl: false } as never)],
    ['HttpError', 'reason', () => new HttpError(400, 'x', { reasons: 'y' } as never)],
    ['BusinessError', 'reason', () => new BusinessError('x', 409, { reasons: 'y' } as never)],
    ['ConflictError', 'fields', () => new ConflictError('x', { field: {} } as never)],
    ['ValidationError', 'cause', () => new ValidationError({}, 'x', { case: 1 } as never)],
    ['UnauthorizedError', 'challenge', () => new UnauthorizedError('x', { challenges: 'y' } as never)],
    ['ForbiddenError', 'reason', () => new ForbiddenError('x', { reasn: 'y' } as never)],
    ['UnavailableError', 'cause', () => new UnavailableError('x', { causes: 1 } as never)],
    ['toPage', 'limit', () => toPage([], { page: 1, limits: 5, total: 0 } as never)],
    ['RequestParam.page', 'limit', () => RequestParam.page(request, { limits: 5 } as never)],
    ['RequestParam.ids', 'max', () => RequestParam.ids(request, { mx: 5 } as never)],
    [
      'sendCsv',
      'fileName',
      () => sendCsv(new ServerResponse(request) as Response, [], { columns: [], filename_: 'x' } as never),
    ],
  ])('of %s is refused with the suggestion `%s`', async (_where, meant, call) => {
    await expect((async () => call())()).rejects.toMatchObject({
      name: 'MisuseError',
      message: expect.stringContaining(`Did you mean \`${meant}\`?`) as string,
    })
  })
})
