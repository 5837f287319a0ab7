import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, type Referenced } from 'resourcery/crud'

interface Booking {
  id: number
  roomId: number | null
  customerId: string
  title: string
}

const Booking = z.object({ id: z.int(), roomId: z.int().nullable(), customerId: z.string(), title: z.string() })
const bookings = memoryStore<Booking>({ key: 'id' })
const options = { input: Booking.pick({ roomId: true, title: true }), output: Booking }
const rooms = crud(memoryStore<{ id: number; house: number }>({ key: 'id' }), {
  input: z.object({}), output: z.object({ id: z.int() }), parent: { arg: 'houseId', column: 'house' },
})
const customers = crud(memoryStore<{ id: string }>({ key: 'id' }), {
  id: z.string(), input: z.object({}), output: z.object({ id: z.string() }),
})

describe('the option `references` of crud', () => {
  it('takes a resource in each of its forms', () => {
    crud(bookings, { ...options, references: { roomId: rooms } })
    crud(bookings, { ...options, references: { roomId: () => rooms } })
    crud(bookings, { ...options, references: { roomId: { of: rooms, message: 'No such room' } } })
    crud(bookings, { ...options, references: { roomId: { of: () => rooms } } })
    crud(bookings, { ...options, references: { roomId: false } })
    const declared = { name: 'rooms', route: '/rooms', ...rooms }
    crud(bookings, { ...options, references: { roomId: declared } })
  })

  it('takes columns, which hooks and members may write too', () => {
    crud(bookings, { ...options, references: { customerId: customers } })
    // @ts-expect-error a misspelt field
    crud(bookings, { ...options, references: { rom: rooms } })
  })

  it('takes a resource whose keys have the type of the field', () => {
    // @ts-expect-error a number does not name a row with strings as keys
    crud(bookings, { ...options, references: { roomId: customers } })
    // @ts-expect-error nor a string a row with numbers
    crud(bookings, { ...options, references: { customerId: () => rooms } })
  })

  it('takes nothing else', () => {
    // @ts-expect-error a store has no scope
    crud(bookings, { ...options, references: { roomId: memoryStore<{ id: number }>({ key: 'id' }) } })
    // @ts-expect-error `of` is missing
    crud(bookings, { ...options, references: { roomId: { message: 'No such room' } } })
    // @ts-expect-error `true` names no resource
    crud(bookings, { ...options, references: { roomId: true } })
  })

  it('takes the resource itself by a function whose type is given', () => {
    const people = crud(memoryStore<{ id: number; managerId: number | null }>({ key: 'id' }), {
      input: z.object({ managerId: z.int().nullable() }),
      output: z.object({ id: z.int(), managerId: z.int().nullable() }),
      references: { managerId: (): Referenced<number> => people },
    })
    expectTypeOf(people).toExtend<Referenced<number>>()
  })

  it('leaves the other types as they are', () => {
    const plain = crud(bookings, options)
    const referring = crud(bookings, { ...options, references: { roomId: rooms } })
    expectTypeOf(referring).toEqualTypeOf(plain)
  })
})
