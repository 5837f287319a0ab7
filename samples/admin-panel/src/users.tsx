import { DataTable, EmailField, ImageField, ImageInput, List, NumberInput, PasswordInput, SearchInput, SelectInput,
  SimpleForm, TextInput, useCanAccess } from 'react-admin'
import { ConflictAwareEdit } from './conflict.tsx'
import { ContinuedCreate } from './create.tsx'
import { AvatarField, CreatedField, StatusField } from './fields.tsx'
import { narrow } from './narrow.ts'
import { USER_STATUSES } from './records.ts'

const FILTERS = [
  <SearchInput key='q' source='q' alwaysOn />,
  <SelectInput key='status' source='status' choices={USER_STATUSES} alwaysOn />,
]

export function UserList() {
  return (
    <List filters={FILTERS} sort={{ field: 'name', order: 'ASC' }} sx={narrow('email', 'role', 'age', 'createdAt')}>
      <DataTable>
        <DataTable.Col source='avatarUrl' disableSort>
          <AvatarField />
        </DataTable.Col>
        <DataTable.Col source='name' />
        <DataTable.Col source='email' disableSort>
          <EmailField source='email' />
        </DataTable.Col>
        <DataTable.Col source='role' disableSort />
        <DataTable.Col source='status' disableSort>
          <StatusField choices={USER_STATUSES} />
        </DataTable.Col>
        <DataTable.NumberCol source='age' disableSort />
        <DataTable.Col source='createdAt'>
          <CreatedField />
        </DataTable.Col>
      </DataTable>
    </List>
  )
}

function UserInputs() {
  const { canAccess: mayUpload } = useCanAccess({ resource: 'users', action: 'avatar' })
  return (
    <>
      <TextInput source='name' />
      <TextInput source='email' type='email' />
      <PasswordInput source='password' helperText='At least 8 characters. An empty field changes nothing.' />
      <NumberInput source='age' />
      <SelectInput source='status' choices={USER_STATUSES} defaultValue={1} />
      {mayUpload === true && (
        <ImageInput source='avatar' accept={{ 'image/jpeg': [], 'image/png': [] }}
          helperText='A JPEG or PNG of at most 2 MB'
        >
          <ImageField source='src' title='title' />
        </ImageInput>
      )}
    </>
  )
}

export function UserEdit() {
  return (
    <ConflictAwareEdit>
      <SimpleForm>
        <AvatarField size={64} />
        <UserInputs />
      </SimpleForm>
    </ConflictAwareEdit>
  )
}

export function UserCreate() {
  return (
    <ContinuedCreate>
      <SimpleForm>
        <UserInputs />
      </SimpleForm>
    </ContinuedCreate>
  )
}
