import { AutocompleteInput, Create, DataTable, DateField, DateTimeInput, Edit, List, ReferenceField, ReferenceInput,
  SearchInput, SelectInput, SimpleForm, TextInput } from 'react-admin'

const FILTERS = [
  <SearchInput key='q' source='q' alwaysOn />,
  <ReferenceInput key='roomId' source='roomId' reference='rooms' alwaysOn>
    <SelectInput />
  </ReferenceInput>,
]

export function BookingList() {
  return (
    <List filters={FILTERS} sort={{ field: 'startsAt', order: 'ASC' }}>
      <DataTable>
        <DataTable.Col source='title' />
        <DataTable.Col source='roomId' disableSort>
          <ReferenceField source='roomId' reference='rooms' link={false} />
        </DataTable.Col>
        <DataTable.Col source='customerId' disableSort>
          <ReferenceField source='customerId' reference='customers' link={false} />
        </DataTable.Col>
        <DataTable.Col source='startsAt'>
          <DateField source='startsAt' showTime />
        </DataTable.Col>
        <DataTable.Col source='endsAt' disableSort>
          <DateField source='endsAt' showTime />
        </DataTable.Col>
      </DataTable>
    </List>
  )
}

/** The API refuses a room that is taken, or of another tenant, with a message at its field. */
function BookingForm() {
  return (
    <SimpleForm>
      <TextInput source='title' />
      <ReferenceInput source='roomId' reference='rooms'>
        <SelectInput />
      </ReferenceInput>
      <ReferenceInput source='customerId' reference='customers'>
        <AutocompleteInput />
      </ReferenceInput>
      <DateTimeInput source='startsAt' />
      <DateTimeInput source='endsAt' />
    </SimpleForm>
  )
}

export const BookingCreate = () => (
  <Create redirect='list'>
    <BookingForm />
  </Create>
)

export const BookingEdit = () => (
  <Edit mutationMode='pessimistic'>
    <BookingForm />
  </Edit>
)
