import { cases } from './cases.mjs'

for (const [name, run] of Object.entries(cases)) it(name, run)
