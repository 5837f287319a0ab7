import { BooleanField, BooleanInput, Create, DataTable, DateField, Edit, List, PasswordInput, ReferenceField,
  ReferenceInput, SearchInput, SelectInput, SimpleForm, TextArrayInput, TextInput } from 'react-admin'

const FILTERS = [<SearchInput key='q' source='q' alwaysOn />]

export function UserList() {
  return (
    <List filters={FILTERS} sort={{ field: 'name', order: 'ASC' }}>
      <DataTable>
        <DataTable.Col source='name' />
        <DataTable.Col source='email' />
        <DataTable.Col source='roleId' disableSort>
          <ReferenceField source='roleId' reference='roles' link={false} />
        </DataTable.Col>
        <DataTable.Col source='active' disableSort>
          <BooleanField source='active' />
        </DataTable.Col>
      </DataTable>
    </List>
  )
}

const UserForm = () => (
  <SimpleForm>
    <TextInput source='name' />
    <TextInput source='email' type='email' />
    <ReferenceInput source='roleId' reference='roles'>
      <SelectInput />
    </ReferenceInput>
    <PasswordInput source='password' helperText='At least 12 characters. An empty field changes nothing.' />
    <BooleanInput source='active' defaultValue />
  </SimpleForm>
)

export const UserCreate = () => (
  <Create redirect='list'>
    <UserForm />
  </Create>
)

export const UserEdit = () => (
  <Edit mutationMode='pessimistic'>
    <UserForm />
  </Edit>
)

export function RoleList() {
  return (
    <List sort={{ field: 'name', order: 'ASC' }}>
      <DataTable>
        <DataTable.Col source='name' />
        <DataTable.Col source='permissions' disableSort />
      </DataTable>
    </List>
  )
}

const RoleForm = () => (
  <SimpleForm>
    <TextInput source='name' />
    <TextArrayInput source='permissions' helperText='Ids such as desk.rooms.list, and patterns such as desk.rooms.*' />
  </SimpleForm>
)

export const RoleCreate = () => (
  <Create redirect='list'>
    <RoleForm />
  </Create>
)

export const RoleEdit = () => (
  <Edit mutationMode='pessimistic'>
    <RoleForm />
  </Edit>
)

/** The audit, which nobody changes. */
export function AuditList() {
  return (
    <List sort={{ field: 'id', order: 'DESC' }}>
      <DataTable rowClick={false} bulkActionButtons={false}>
        <DataTable.Col source='at' disableSort>
          <DateField source='at' showTime />
        </DataTable.Col>
        <DataTable.Col source='userId' disableSort />
        <DataTable.Col source='action' disableSort />
        <DataTable.Col source='recordId' disableSort />
      </DataTable>
    </List>
  )
}
