import { describe, expectTypeOf, it } from 'vitest'
import { BusinessError, findOrFail, MisuseError, ValidationError, type Fields, type MisuseCode } from '../lib/core/base/errors.js'

interface User {
  readonly id: number
}

declare const user: User | null | undefined
declare const later: Promise<User | undefined>
declare const query: PromiseLike<User | null>

describe('findOrFail', () => {
  it('removes null and undefined from a value', () => {
    expectTypeOf(findOrFail(user)).toEqualTypeOf<User>()
    expectTypeOf(findOrFail(user, 'No such user')).toEqualTypeOf<User>()
    expectTypeOf(findOrFail('' as string | null)).toEqualTypeOf<string>()
  })

  it('removes them from the value of a promise or query', () => {
    expectTypeOf(findOrFail(later)).toEqualTypeOf<Promise<User>>()
    expectTypeOf(findOrFail(query)).toEqualTypeOf<Promise<User>>()
  })

  it('works in a generic function', () => {
    const found = <T extends object>(value: T | undefined): T => findOrFail(value)
    expectTypeOf(found(user ?? undefined)).toEqualTypeOf<User>()
  })

  it('accepts only a string as message', () => {
    // @ts-expect-error a status is no message
    void findOrFail(user, 404)
  })
})

describe('the errors', () => {
  it('type fields as lists of messages', () => {
    expectTypeOf(new ValidationError({ name: ['Too short'] }).fields).toEqualTypeOf<Fields>()
    // @ts-expect-error one message must be a list as well
    new ValidationError({ name: 'Too short' })
  })

  it('accept only known options', () => {
    new BusinessError('No', 409, { reason: 'user.has_posts' })
    // @ts-expect-error no such option
    new BusinessError('No', 409, { code: 'user.has_posts' })
  })
})

describe('MisuseError', () => {
  it('accepts only the codes of the package', () => {
    expectTypeOf<MisuseError['code']>().toEqualTypeOf<MisuseCode>()
    expectTypeOf<'name_taken' | 'crud_soft_delete' | 'prisma_order'>().toExtend<MisuseCode>()
    // @ts-expect-error an unknown code
    new MisuseError('something_else', 'A sentence.')
  })
})
