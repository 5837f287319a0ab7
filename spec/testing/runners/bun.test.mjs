import { test } from 'bun:test'
import { cases } from './cases.mjs'

for (const [name, run] of Object.entries(cases)) test(name, run)
