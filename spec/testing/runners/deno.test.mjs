/* global Deno */
import { cases } from './cases.mjs'

for (const [name, run] of Object.entries(cases))
  Deno.test({ name, fn: run, sanitizeOps: false, sanitizeResources: false })
