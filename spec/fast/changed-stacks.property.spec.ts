import fc from 'fast-check'
import { describe, it } from 'vitest'
import { fuzzing, fuzzingTimeout } from '../support/fuzzing.js'
import { compareReplies, EDITS, PLACES } from './changing-app.js'

const change = fc.record({
  by: fc.constantFrom(...PLACES),
  place: fc.constantFrom(...PLACES),
  edit: fc.constantFrom(...Object.keys(EDITS)),
})

it('answers like Express whatever changes of the stacks during a request', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), fc.boolean(), compareReplies),
    fuzzing(40),
  )
}, fuzzingTimeout(60))

describe.each(PLACES)('a change of the layers of %s during a request', (place) => {
  it.each(Object.keys(EDITS))('is answered as by Express: %s', async (edit) => {
    await compareReplies([{ by: place, place, edit }], false)
  })

  it('is answered as by Express behind asynchronous middleware, and after another change', async () => {
    const first = { by: 'app', place, edit: 'middleware spliced in front of the route' } as const
    await compareReplies([first, { by: place, place, edit: 'a guard spliced in front of the route' }], true)
  })
})
