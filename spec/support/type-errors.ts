/* Programs with a type error, and the sentence at the end of its message; the editor's tests and TypeScript 7 read them. */

/** Precedes each program. */
export const SETTING = `
import express from 'express'
import { z } from 'zod'
import { auth, mountResource, mountRoutes, validate } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
const app = express()
const Note = z.object({ id: z.int(), title: z.string() })
const input = Note.pick({ title: true })
const Other = z.object({ id: z.int(), titel: z.string() })
const Wrong = z.object({ title: z.int() })
const notes = memoryStore({ key: 'id', rows: [{ id: 1, title: 'Milk' }] })
`

const show = (handler: string): string =>
  `mountResource(app, { route: '/a', name: 'a', handlers: { show: { output: Note, handler: () => (${handler}) } } })`

/** The title of an error, the program, and the end of the message. */
export const ERRORS = [
  ['a wrong value', show("{ id: 'a', title: '' }"), /^Type 'string' is not assignable to type 'number'\.$/],
  ['a missing value', show('{ id: 1 }'), /^Property 'title' is missing in type '{ id: 1; }' but required in type/],
  ['a misspelt rule', "validate({}, { name: [['requird', 'x']] })", /Did you mean '"required"'\?$/],
  ['a rule without a message', "validate({}, { name: [['required']] })", /^Source has 1 .* but target requires 2\.$/],
  [
    'contradictory rules',
    "validate({}, { name: [['required', 'x'], ['optional']] })",
    /type '"A field is either required or optional"'\.$/,
  ],
  [
    'an input that is no column',
    'crud(notes, { input: Other, output: Note })',
    /The row has no column \\"titel\\": rename the field of `input`, or give `before`"'\.$/,
  ],
  [
    'an output that is no column',
    'crud(notes, { input, output: Other })',
    /The row has no column \\"titel\\": rename the field of `output`, or give `transform`"'\.$/,
  ],
  [
    'an input of another type',
    'crud(notes, { input: Wrong, output: Note })',
    /The column \\"title\\" and the field of `input` have different types: change one of them, or give `before`"'\.$/,
  ],
  [
    'an output of another type',
    'crud(notes, { input, output: Wrong })',
    /The column \\"title\\" and the field of `output` have different types: .* or give `transform`"'\.$/,
  ],
  [
    'a search in no column',
    "crud(notes, { input, output: Note, search: ['titel'] })",
    /^Type '"titel"' is not assignable to type '"title"'\.$/,
  ],
  [
    'a filter of no column',
    'crud(notes, { input, output: Note, filters: { titel: { eq: z.string() } } })',
    /^Type .* '"The row has no column \\"titel\\": rename the filter, or make it a custom filter"'\.$/,
  ],
  [
    'a kind of filter that does not exist',
    'crud(notes, { input, output: Note, filters: { title: { equal: z.string() } } })',
    /^Type 'ZodString' is not assignable to type '"There is no kind of filter \\"equal\\""'\.$/,
  ],
  [
    'a kind of filter without a schema that does not exist',
    'crud(notes, { input, output: Note, filters: { title: { contain: true } } })',
    /^Type 'true' is not assignable to type '.*"There is no kind of filter \\"contain\\"".*'\.$/,
  ],
  [
    'a hook that returns no column',
    "crud(notes, { input, output: Note, before: { create: (fields) => ({ ...fields, titel: 'x' }) } })",
    /^Type '"x"' is not assignable to type '.*"The row has no column \\"titel\\"".*'\.$/,
  ],
  [
    'a member that returns no column',
    "crud(notes, { input, output: Note, members: { trim: { change: () => ({ titel: 'x' }) } } })",
    /^Type '"x"' is not assignable to type '.*"The row has no column \\"titel\\"".*'\.$/,
  ],
  [
    'a member without `change` or `run`',
    "crud(notes, { input, output: Note, members: { trim: { methods: 'PUT' } } })",
    /^Property 'run' is missing in type '{ methods: "PUT"; }' but required in type/,
  ],
  [
    'a custom action without a route',
    "mountRoutes(app, { route: '/a', routes: { pay: { methods: 'POST', handler: () => 1 } } })",
    /^Property 'route' is missing in type '{ methods: "POST"; handler: \(\) => number; }' but required in type/,
  ],
  [
    'a custom action without a handler',
    "mountRoutes(app, { route: '/b', routes: { pay: { route: '/pay' } } })",
    /^Property 'handler' is missing in type '{ route: "\/pay"; }' but required in type/,
  ],
] as const

/** Programs without an error. */
export const FITTING = [
  'crud(notes, { input: Other, output: Note, before: { create: ({ titel }) => ({ title: titel }) } })',
  'crud(notes, { input, output: Other, transform: ({ id, title }) => ({ id, titel: title }) })',
  'crud(notes, { input, output: Other, transformMany: (rows) => rows.map(({ id, title }) => ({ id, titel: title })) })',
  'crud(notes, { input, output: Note.extend({ more: z.string().optional() }) })',
  'crud(notes, { input: z.object({}), output: Note })',
]
