import express from 'express'
import { describe, it } from 'vitest'
import { openapi, type OpenApiDocument } from 'resourcery/openapi'

describe('the option `transform` of openapi', () => {
  const options = { title: 'Posts', version: '1' }

  it('may change the copy that it gets, or return a document', () => {
    openapi(express(), {
      ...options,
      transform: (document) => {
        document.info.title = 'Articles'
        document.servers = [{ url: '/api' }]
        document.tags.push({ name: 'posts', description: 'Articles' })
        delete document.paths['/internal']
      },
    })
    openapi(express(), { ...options, transform: (document) => ({ ...document, servers: [] }) })
    openapi(express(), { ...options, transform: (document: OpenApiDocument) => document })
    // @ts-expect-error the title is a string
    openapi(express(), { ...options, transform: (document) => void (document.info.title = 5) })
  })

  it('leaves the document that openapi returns as it is', () => {
    // @ts-expect-error the document is only read
    openapi(express(), options).info.title = 'Articles'
  })
})
