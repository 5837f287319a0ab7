import english from 'ra-language-english'

/** The texts of react-admin, with the names of this panel. */
export const texts = {
  ...english,
  ra: { ...english.ra, auth: { ...english.ra.auth, username: 'E-mail' } },
  resources: {
    bookings: {
      name: 'Booking |||| Bookings',
      fields: { roomId: 'Room', customerId: 'Customer', startsAt: 'From', endsAt: 'To' },
    },
    rooms: { name: 'Room |||| Rooms' },
    customers: { name: 'Customer |||| Customers', fields: { email: 'E-mail' } },
    invoices: { name: 'Invoice |||| Invoices', fields: { customerId: 'Customer', issuedOn: 'Date' } },
    users: { name: 'User |||| Users', fields: { roleId: 'Role', email: 'E-mail' } },
    roles: { name: 'Role |||| Roles' },
    audit: { name: 'Audit', fields: { userId: 'User', recordId: 'Record', at: 'Time' } },
  },
}
