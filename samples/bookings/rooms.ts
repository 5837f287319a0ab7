import type { Router } from 'express'
import { mountResource, param } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { z } from 'zod'
import { audited } from './audit.js'
import { ofTenant } from './callers.js'
import type { Database } from './database.js'

export const Customer = z.object({ id: z.int(), name: z.string().min(1), email: z.email().toLowerCase() })
const NewRoom = z.object({ name: z.string().min(1), seats: param.int(), price: param.decimal({ scale: 2 }) })
const Room = NewRoom.extend({ id: z.int() })
const NewBooking = z.object({
  roomId: param.int(),
  customerId: param.int(),
  title: z.string().min(1),
  startsAt: param.date(),
  endsAt: param.date(),
})
const Booking = NewBooking.extend({ id: z.int(), room: Room.optional(), customer: Customer.optional() })

/** Mounts rooms, customers and the bookings of rooms; the database refuses bookings of one room that overlap. */
export function mountRooms(desk: Router, db: Database) {
  const rooms = crud(kyselyStore(db, 'rooms'), {
    input: NewRoom,
    output: Room,
    scope: ofTenant,
    after: audited('rooms'),
    sort: ['name', 'seats', 'price'],
    search: ['name'],
    filters: { seats: { range: param.int() } },
    conflicts: {
      rooms_name: { field: 'name' },
      rooms_seats: { field: 'seats', message: 'A room needs a seat' },
      bookings_room: { message: 'The room has bookings' },
    },
  })
  const customers = crud(kyselyStore(db, 'customers'), {
    input: Customer.omit({ id: true }),
    output: Customer,
    scope: ofTenant,
    // The rows of an import are added together: its batch hook runs once for 500 of them.
    after: audited('customers'),
    sort: ['name', 'email'],
    search: ['name', 'email'],
    bulk: true,
    import: true,
    export: true,
    conflicts: {
      customers_email: { field: 'email' },
      bookings_customer: { message: 'The customer has bookings' },
      invoices_customer: { message: 'The customer has invoices' },
    },
  })
  const bookings = crud(kyselyStore(db, 'bookings'), {
    input: NewBooking,
    output: Booking,
    scope: ofTenant,
    after: audited('bookings'),
    ifMatch: 'optional',
    version: 'version',
    sort: ['startsAt', 'title'],
    order: ['startsAt'],
    search: ['title'],
    filters: { roomId: { eq: param.int() }, customerId: { eq: param.int() }, startsAt: { range: param.date() } },
    references: {
      roomId: { of: rooms, message: 'No such room' },
      customerId: { of: customers, message: 'No such customer' },
    },
    conflicts: {
      bookings_overlap: { field: 'startsAt', message: 'The room is taken at this time' },
      bookings_period: { field: 'endsAt', message: 'Must be after the start' },
      lines_booking: { message: 'The booking is on an invoice' },
    },
    include: {
      room: async (rows, { db }) => {
        const found = await kyselyStore(db, 'rooms').find(rows.map(({ roomId }) => roomId))
        return new Map(rows.map((row) => [row.id, found.find(({ id }) => id === row.roomId)]))
      },
      customer: async (rows, { db }) => {
        const found = await kyselyStore(db, 'customers').find(rows.map(({ customerId }) => customerId))
        return new Map(rows.map((row) => [row.id, found.find(({ id }) => id === row.customerId)]))
      },
    },
    export: { columns: { id: 'No', 'room.name': 'Room', 'customer.name': 'Customer', startsAt: 'From', endsAt: 'To' } },
  })
  mountResource(desk, { app: 'desk', route: '/rooms', name: 'rooms', ...rooms })
  mountResource(desk, { app: 'desk', route: '/customers', name: 'customers', ...customers })
  mountResource(desk, { app: 'desk', route: '/bookings', name: 'bookings', ...bookings })
  return { customers, bookings }
}
