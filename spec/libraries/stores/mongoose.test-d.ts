import { Schema, model, type ClientSession, type Types } from 'mongoose'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { crud, type Store } from 'resourcery/crud'
import { mongooseStore } from 'resourcery/mongoose'

const Post = model('Post', new Schema({
  title: { type: String, required: true }, age: Number, author: { type: Schema.Types.ObjectId, required: true }, dueOn: Date, at: { type: Date, required: true },
  tags: [String], place: { city: { type: String, required: true } }, price: Schema.Types.Decimal128,
}, { timestamps: true }))
const store = () => mongooseStore(Post, { columns: { dueOn: 'calendarDate' } })
const In = z.object({ title: z.string() })
const Out = z.object({ id: z.string(), title: z.string() })

describe('mongooseStore', () => {
  it('has the paths of the schema, ids as strings, what a document may lack as null, and the session', () => {
    interface Row {
      id: string; title: string; age: number | null; author: string; dueOn: string | null; at: Date; tags: string[]; place: { city: string } | null; price: string | null
      createdAt: Date; updatedAt: Date
    }
    type Found = ReturnType<typeof store> extends Store<infer R, ClientSession | null> ? R : never
    expectTypeOf<Found>().toExtend<Row>()
    expectTypeOf<Row>().toExtend<Found>()
    expectTypeOf<keyof Found>().toEqualTypeOf<keyof Row>()
    expectTypeOf(store().db).toEqualTypeOf<ClientSession | null>()
    void crud(store(), { id: z.string(), input: In, output: Out, sort: ['title'], filters: { age: { eq: z.coerce.number() } }, scope: () => [['dueOn', '<', '2026-12-01']] })
  })

  it('has the paths of an interface, and its key', () => {
    interface Note { _id: number; text: string; user: Types.ObjectId; lines: { text: string; by?: Types.ObjectId }[] }
    const notes = mongooseStore(model('Note', new Schema<Note>({ _id: Number, text: String })))
    type Found = typeof notes extends Store<infer R, ClientSession | null> ? R : never
    expectTypeOf<Found['id']>().toEqualTypeOf<number>()
    expectTypeOf<Found['user']>().toEqualTypeOf<string>()
    expectTypeOf<Found['lines']>().toExtend<{ text: string; by?: string }[]>()
  })

  it('refuses a path that the schema does not have', () => {
    // @ts-expect-error no such path
    void crud(store(), { id: z.string(), input: In, output: Out, search: ['titel'] })
    // @ts-expect-error the key is id
    void crud(store(), { id: z.string(), input: In, output: Out, sort: ['_id'] })
    // @ts-expect-error The model has no path "titel"
    mongooseStore(Post, { columns: { titel: 'calendarDate' } })
    // @ts-expect-error a number holds no days
    mongooseStore(Post, { columns: { age: 'calendarDate' } })
    // @ts-expect-error no such type
    mongooseStore(Post, { columns: { dueOn: 'date' } })
    // @ts-expect-error no such option
    mongooseStore(Post, { key: '_id' })
    // @ts-expect-error a name is no model
    mongooseStore('posts')
  })
})
