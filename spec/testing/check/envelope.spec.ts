import { describe, expect, it } from 'vitest'
import { checkApi } from 'resourcery/testing'
import { decode, makeApp } from '../../support/own-envelope.js'

describe('a document of another envelope', () => {
  it('agrees with the replies, as `checkApi` sees them', async () => {
    const report = await checkApi(makeApp().app, { decode, budget: 4, skip: ['odd.list'] })
    expect(report.findings).toEqual([])
  })
})
