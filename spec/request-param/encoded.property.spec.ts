import express from 'express'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RequestParam } from 'resourcery'
import { fuzzing } from '../support/fuzzing.js'
import { serving } from '../support/http.js'

/** Replaces unpaired surrogates, which have no UTF-8. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}

it.each(['simple', 'extended'])('RequestParam.query with the %s parser reads every string that a client encodes',
  async (parser) => {
    const app = express().set('query parser', parser)
    app.get('/', (req, res) => void res.json(RequestParam.query(req)))
    const { get } = await serving(app)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { minLength: 2, maxLength: 5 }),
        async (texts) => {
          const sent = texts.map((text) => wellFormed(text).replaceAll('\0', ''))
          const search = new URLSearchParams()
          for (const [n, text] of sent.entries()) {
            search.append('k', text)
            search.append('l[]', text)
            search.append(`m[${n}]`, text)
          }
          expect((await get(`/?${search.toString()}`)).body).toEqual({ k: sent, l: sent, m: sent })
        },
      ),
      fuzzing(40),
    )
  })
