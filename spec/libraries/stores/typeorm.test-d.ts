import { EntitySchema, type DataSource, type EntityManager, type Repository } from 'typeorm'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { crud, type Store } from 'resourcery/crud'
import { typeormStore } from 'resourcery/typeorm'

class User {
  id!: number
  posts?: Post[]
}

class Post {
  id!: string
  title!: string
  age!: number | null
  at!: Date
  labels!: string[]
  settings!: { theme: string }
  author?: User
  comments!: Promise<User[]>
  note?: string

  publish(): void {
    this.age = 1
  }
}

declare const dataSource: DataSource
const In = z.object({ title: z.string() })
const Out = z.object({ id: z.int(), title: z.string() })
const store = () => typeormStore(dataSource, Post, { columns: { id: 'integer', settings: 'json' } })

describe('typeormStore', () => {
  it('has the columns of the entity, and the entity manager as `db`', () => {
    interface Row { id: number; title: string; age: number | null; at: Date; labels: string[]; settings: { theme: string }; note: string }
    expectTypeOf(store()).toEqualTypeOf<Store<Row, EntityManager>>()
    void crud(store(), { input: In, output: Out, sort: ['title'], filters: { age: { eq: z.coerce.number() } }, scope: () => [['at', '<', new Date()]] })
  })

  it('accepts a repository, for example of an entity schema', () => {
    const Schema = new EntitySchema<{ id: number; title: string }>({ name: 'Post', columns: {} })
    const repository: Repository<{ id: number; title: string }> = dataSource.getRepository(Schema)
    expectTypeOf(typeormStore(dataSource, repository)).toEqualTypeOf<Store<{ id: number; title: string }, EntityManager>>()
  })

  it('refuses unknown columns and options', () => {
    // @ts-expect-error no such column
    void crud(store(), { input: In, output: Out, search: ['titel'] })
    // @ts-expect-error a relation is not a column
    void crud(store(), { input: In, output: Out, sort: ['author'] })
    // @ts-expect-error The entity has no property "titel"
    typeormStore(dataSource, Post, { columns: { titel: 'string' } })
    // @ts-expect-error no such type
    typeormStore(dataSource, Post, { columns: { title: 'text' } })
    // @ts-expect-error no such option
    typeormStore(dataSource, Post, { key: 'id' })
    // @ts-expect-error a name is not an entity
    typeormStore(dataSource, 'posts')
  })
})
