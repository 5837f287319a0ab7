import { Model, type CreationOptional, type InferAttributes, type InferCreationAttributes, type NonAttribute, type Transaction } from 'sequelize'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { crud, type Store } from 'resourcery/crud'
import { sequelizeStore } from 'resourcery/sequelize'

class User extends Model<InferAttributes<User>, InferCreationAttributes<User>> {
  declare id: number
}

class Post extends Model<InferAttributes<Post>, InferCreationAttributes<Post>> {
  declare id: CreationOptional<string>
  declare title: string
  declare age: number | null
  declare at: CreationOptional<Date>
  declare tags: string[]
  declare author?: NonAttribute<User>

  get shout(): NonAttribute<string> {
    return this.title.toUpperCase()
  }
}

const In = z.object({ title: z.string() })
const Out = z.object({ id: z.int(), title: z.string() })
const store = () => sequelizeStore(Post, { columns: { id: 'integer', tags: 'json' } })

describe('sequelizeStore', () => {
  it('has the attributes of the model, and its transaction as `db`', () => {
    interface Row { id: number; title: string; age: number | null; at: Date; tags: string[] }
    type Found = ReturnType<typeof store> extends Store<infer R, Transaction | null> ? R : never
    expectTypeOf<Found>().toExtend<Row>()
    expectTypeOf<Row>().toExtend<Found>()
    expectTypeOf(store().db).toEqualTypeOf<Transaction | null>()
    void crud(store(), { input: In, output: Out, sort: ['title'], filters: { age: { eq: z.coerce.number() } }, scope: () => [['at', '<', new Date()]] })
  })

  it('refuses unknown columns and options', () => {
    // @ts-expect-error no such column
    void crud(store(), { input: In, output: Out, search: ['titel'] })
    // @ts-expect-error an association is not a column
    void crud(store(), { input: In, output: Out, sort: ['author'] })
    // @ts-expect-error The model has no attribute "titel"
    sequelizeStore(Post, { columns: { titel: 'string' } })
    // @ts-expect-error no such type
    sequelizeStore(Post, { columns: { title: 'text' } })
    // @ts-expect-error no such option
    sequelizeStore(Post, { key: 'id' })
    // @ts-expect-error a name is not a model
    sequelizeStore('posts')
  })
})
