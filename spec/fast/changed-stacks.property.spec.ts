import fc from 'fast-check'
import { it } from 'vitest'
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
