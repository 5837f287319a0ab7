import { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { resource } from 'resourcery'
import { mountResource } from 'resourcery'
import { routesOf } from 'resourcery'

const about = { description: 'What it is for' }

describe('the headers and statuses of an action', () => {
  it('are listed with its route if declared', () => {
    const traits = {
      requestHeaders: { 'If-Match': { ...about, required: true } },
      responseHeaders: { ETag: about },
      statuses: [412, 428, 412],
    }
    const router = Router()
    resource(router, '/notes').list(() => []).store({ ...traits, handler: () => null }).post('stamp', '/stamp', {
      ...traits,
      handler: () => null,
    })
    const told = Object.fromEntries(
      routesOf(router).map((
        { action, requestHeaders, responseHeaders, statuses },
      ) => [action, { requestHeaders, responseHeaders, statuses }]),
    )
    expect(told).toEqual({
      list: { requestHeaders: {}, responseHeaders: {}, statuses: [] },
      store: { ...traits, statuses: [412, 428] },
      stamp: { ...traits, statuses: [412, 428] },
    })
  })

  it.each([
    ['a name that is not a token', { requestHeaders: { 'If Match': about } }, 'header_invalid', '`if match`'],
    ['a name twice', { requestHeaders: { 'X-A': about, 'x-a': about } }, 'header_invalid', 'is declared twice'],
    [
      'a request header that OpenAPI ignores',
      { requestHeaders: { Authorization: about } },
      'header_invalid',
      'must not be declared',
    ],
    [
      'another such request header',
      { requestHeaders: { 'content-type': about } },
      'header_invalid',
      'must not be declared',
    ],
    [
      'a response header that OpenAPI ignores',
      { responseHeaders: { 'Content-Type': about } },
      'header_invalid',
      'The response header',
    ],
    ['no description', { responseHeaders: { ETag: {} } }, 'header_invalid', '`description`'],
    ['a header without a description', { responseHeaders: { ETag: undefined } }, 'header_invalid', '`description`'],
    ['an invalid status', { statuses: [412, 99] }, 'statuses_invalid', '99'],
    ['a status in text', { statuses: ['412'] }, 'statuses_invalid', '412'],
  ])('throw a MisuseError: %s', (_, traits, code, part) => {
    const mount = (): unknown =>
      mountResource(Router(), {
        route: '/notes',
        name: 'notes',
        handlers: { list: { ...traits as object, handler: () => [] } },
      })
    expect(mount).toThrow(expect.objectContaining({ code, message: expect.stringContaining(part) as string }))
  })

  it('accept the same header in request and response', () => {
    const mount = (): unknown =>
      mountResource(Router(), {
        route: '/a',
        name: 'a',
        handlers: {
          list: {
            requestHeaders: { ETag: about },
            responseHeaders: { ETag: about, Authorization: about },
            handler: () => [],
          },
        },
      })
    expect(mount).not.toThrow()
  })
})
