import test from 'ava'
import { cases } from './cases.mjs'

for (const [name, run] of Object.entries(cases)) {
  test(name, async (t) => {
    await run()
    t.pass()
  })
}
