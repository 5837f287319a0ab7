import { describe, it } from 'vitest'
import { compareReplies, EDITS, PLACES } from './changing-app.js'

describe.each(PLACES)('a change of the layers of %s during a request', (place) => {
  it.each(Object.keys(EDITS))('is answered as by Express: %s', async (edit) => {
    await compareReplies([{ by: place, place, edit }], false)
  })

  it('is answered as by Express behind asynchronous middleware, and after another change', async () => {
    const first = { by: 'app', place, edit: 'middleware spliced in front of the route' } as const
    await compareReplies([first, { by: place, place, edit: 'a guard spliced in front of the route' }], true)
  })
})
