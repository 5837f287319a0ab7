import { Create, DataTable, Edit, List, NumberInput, SearchInput, SimpleForm, TextInput } from 'react-admin'

const FILTERS = [<SearchInput key='q' source='q' alwaysOn />]

export function RoomList() {
  return (
    <List filters={FILTERS} sort={{ field: 'name', order: 'ASC' }}>
      <DataTable>
        <DataTable.Col source='name' />
        <DataTable.NumberCol source='seats' />
        <DataTable.Col source='price' />
      </DataTable>
    </List>
  )
}

const RoomForm = () => (
  <SimpleForm>
    <TextInput source='name' />
    <NumberInput source='seats' />
    <TextInput source='price' />
  </SimpleForm>
)

export const RoomCreate = () => (
  <Create redirect='list'>
    <RoomForm />
  </Create>
)

export const RoomEdit = () => (
  <Edit mutationMode='pessimistic'>
    <RoomForm />
  </Edit>
)

export function CustomerList() {
  return (
    <List filters={FILTERS} sort={{ field: 'name', order: 'ASC' }}>
      <DataTable>
        <DataTable.Col source='name' />
        <DataTable.Col source='email' />
      </DataTable>
    </List>
  )
}

const CustomerForm = () => (
  <SimpleForm>
    <TextInput source='name' />
    <TextInput source='email' type='email' />
  </SimpleForm>
)

export const CustomerCreate = () => (
  <Create redirect='list'>
    <CustomerForm />
  </Create>
)

export const CustomerEdit = () => (
  <Edit mutationMode='pessimistic'>
    <CustomerForm />
  </Edit>
)
