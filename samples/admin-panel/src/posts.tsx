import { BulkDeleteButton, Create, DataTable, DeleteButton, EditButton, List, ReferenceField, SaveButton, SearchInput,
  SelectInput, Show, SimpleForm, SimpleShowLayout, TextField, TextInput, Toolbar, TopToolbar, useCanAccess,
  useCanAccessCallback, useGetIdentity, type RaRecord } from 'react-admin'
import { ConflictAwareEdit } from './conflict.tsx'
import { CreatedField, StatusField } from './fields.tsx'
import { narrow } from './narrow.ts'
import { CATEGORIES, mayChange, POST_STATUSES, type Me, type Post } from './records.ts'

const FILTERS = [
  <SearchInput key='q' source='q' alwaysOn />,
  <SelectInput key='category' source='category' choices={CATEGORIES} alwaysOn />,
  <SelectInput key='status' source='status' choices={POST_STATUSES} alwaysOn />,
]

export function PostList() {
  const canAccess = useCanAccessCallback()
  const { canAccess: mayDelete } = useCanAccess({ resource: 'posts', action: 'delete' })
  const { canAccess: mayReadUsers } = useCanAccess({ resource: 'users', action: 'show' })
  const { identity } = useGetIdentity()
  const pageOf = async (_id: unknown, resource: string, record: RaRecord) =>
    await canAccess({ action: 'edit', resource, record }) ? 'edit' : 'show'
  return (
    <List filters={FILTERS} sort={{ field: 'createdAt', order: 'DESC' }} sx={narrow('authorId', 'createdAt')}>
      <DataTable
        rowClick={pageOf}
        isRowSelectable={(post: Post) => identity !== undefined && mayChange(identity as Me, post)}
        bulkActionButtons={mayDelete === true && <BulkDeleteButton mutationMode='pessimistic' />}
      >
        <DataTable.Col source='title' />
        <DataTable.Col source='category' disableSort />
        <DataTable.Col source='status' disableSort>
          <StatusField choices={POST_STATUSES} />
        </DataTable.Col>
        {mayReadUsers === true && (
          <DataTable.Col source='authorId' disableSort>
            <ReferenceField source='authorId' reference='users' link={false} />
          </DataTable.Col>
        )}
        <DataTable.Col source='createdAt'>
          <CreatedField />
        </DataTable.Col>
      </DataTable>
    </List>
  )
}

export function PostShow() {
  return (
    <Show actions={
      <TopToolbar>
        <EditButton />
      </TopToolbar>
    }>
      <SimpleShowLayout>
        <TextField source='title' />
        <TextField source='content' sx={{ whiteSpace: 'pre-line' }} />
        <TextField source='category' />
        <StatusField choices={POST_STATUSES} />
        <CreatedField />
      </SimpleShowLayout>
    </Show>
  )
}

/** Keeps what was typed: the API has a message for an empty string, and none for `null`. */
const asTyped = (value: string): string => value

function PostInputs() {
  return (
    <>
      <TextInput source='title' parse={asTyped} />
      <TextInput source='content' parse={asTyped} multiline minRows={6} />
      <TextInput source='category' parse={asTyped} defaultValue='general' />
      <SelectInput source='status' choices={POST_STATUSES} defaultValue={1} />
    </>
  )
}

/** The names of values that a conflict shows. */
const DESCRIPTIONS = { status: (value: unknown) => POST_STATUSES.find(({ id }) => id === value)?.name }

export function PostEdit() {
  return (
    <ConflictAwareEdit describe={DESCRIPTIONS}>
      <SimpleForm toolbar={
        <Toolbar>
          <SaveButton />
          <DeleteButton mutationMode='pessimistic' sx={{ marginLeft: 'auto' }} />
        </Toolbar>
      }>
        <PostInputs />
      </SimpleForm>
    </ConflictAwareEdit>
  )
}

export function PostCreate() {
  return (
    <Create redirect='list'>
      <SimpleForm>
        <PostInputs />
      </SimpleForm>
    </Create>
  )
}
