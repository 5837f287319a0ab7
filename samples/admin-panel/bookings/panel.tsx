import polyglotI18nProvider from 'ra-i18n-polyglot'
import { Admin, Resource } from 'react-admin'
import { BookingCreate, BookingEdit, BookingList } from './bookings.tsx'
import { InvoiceCreate, InvoiceEdit, InvoiceList } from './invoices.tsx'
import { AuditList, RoleCreate, RoleEdit, RoleList, UserCreate, UserEdit, UserList } from './people.tsx'
import { auth, data } from './providers.ts'
import { CustomerCreate, CustomerEdit, CustomerList, RoomCreate, RoomEdit, RoomList } from './rooms.tsx'
import { texts } from './texts.ts'

const i18n = polyglotI18nProvider(() => texts, 'en')

/** The panel: react-admin shows of it what the role of the signed-in user grants. */
export function Panel() {
  return (
    <Admin title='Bookings' dataProvider={data} authProvider={auth} i18nProvider={i18n} requireAuth disableTelemetry>
      <Resource name='bookings' recordRepresentation='title' list={BookingList} edit={BookingEdit}
        create={BookingCreate} />
      <Resource name='invoices' recordRepresentation='number' list={InvoiceList} edit={InvoiceEdit}
        create={InvoiceCreate} />
      <Resource name='rooms' recordRepresentation='name' list={RoomList} edit={RoomEdit} create={RoomCreate} />
      <Resource name='customers' recordRepresentation='name' list={CustomerList} edit={CustomerEdit}
        create={CustomerCreate} />
      <Resource name='users' recordRepresentation='name' list={UserList} edit={UserEdit} create={UserCreate} />
      <Resource name='roles' recordRepresentation='name' list={RoleList} edit={RoleEdit} create={RoleCreate} />
      <Resource name='audit' list={AuditList} />
    </Admin>
  )
}
