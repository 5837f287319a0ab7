import { ArrayInput, Create, DataTable, DateInput, Edit, List, NumberInput, ReferenceField, ReferenceInput, SearchInput,
  SelectInput, SimpleForm, SimpleFormIterator, TextInput } from 'react-admin'

const FILTERS = [<SearchInput key='q' source='q' alwaysOn />]

export function InvoiceList() {
  return (
    <List filters={FILTERS} sort={{ field: 'issuedOn', order: 'DESC' }}>
      <DataTable>
        <DataTable.Col source='number' />
        <DataTable.Col source='issuedOn' />
        <DataTable.Col source='customerId' disableSort>
          <ReferenceField source='customerId' reference='customers' link={false} />
        </DataTable.Col>
        <DataTable.Col source='total' disableSort />
      </DataTable>
    </List>
  )
}

/** An invoice and its lines are one form and one request. Prices are strings of digits, and stay exact. */
function InvoiceForm() {
  return (
    <SimpleForm>
      <TextInput source='number' />
      <DateInput source='issuedOn' />
      <ReferenceInput source='customerId' reference='customers'>
        <SelectInput />
      </ReferenceInput>
      <ArrayInput source='lines'>
        <SimpleFormIterator inline disableReordering>
          <TextInput source='text' />
          <NumberInput source='quantity' defaultValue={1} />
          <TextInput source='price' />
        </SimpleFormIterator>
      </ArrayInput>
    </SimpleForm>
  )
}

export const InvoiceCreate = () => (
  <Create redirect='list'>
    <InvoiceForm />
  </Create>
)

export const InvoiceEdit = () => (
  <Edit mutationMode='pessimistic'>
    <InvoiceForm />
  </Edit>
)
