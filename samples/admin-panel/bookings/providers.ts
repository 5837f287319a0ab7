import { authProvider, dataProvider } from 'resourcery/react-admin'

/** The address of the API, on the origin of this page. */
const API = '/desk'

/** Signing in is a route beside the API: both providers keep the token in one place. */
const tokens = {
  get: () => localStorage.getItem('bookings'),
  set: (token: string | null) =>
    token === null ? localStorage.removeItem('bookings') : localStorage.setItem('bookings', token),
}

export const data = dataProvider(API, {
  tokens,
  resources: {
    bookings: { filters: ['roomId', 'customerId', 'startsAt'] },
    invoices: { filters: ['customerId', 'issuedOn'] },
    rooms: { filters: ['seats'] },
    audit: { filters: ['action', 'userId'] },
  },
})

/** Reads what the role of the caller grants now. */
export const auth = authProvider(location.origin, {
  tokens,
  login: '/login',
  identity: `${API}/me`,
  permissions: `${API}/permissions`,
  app: 'desk',
})
