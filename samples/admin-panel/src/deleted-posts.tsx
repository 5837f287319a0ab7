import RestoreIcon from '@mui/icons-material/RestoreFromTrash'
import { useMutation } from '@tanstack/react-query'
import { Button, DataTable, List, ReferenceField, SearchInput, useListContext, useNotify, useRecordContext, useRefresh,
  useUnselectAll, type Identifier } from 'react-admin'
import { CreatedField } from './fields.tsx'
import { narrow } from './narrow.ts'
import { data } from './providers.ts'
import type { Post } from './records.ts'

const FILTERS = [<SearchInput key='q' source='q' alwaysOn />]

export function DeletedPostList() {
  return (
    <List filter={{ deleted: 'only' }} filters={FILTERS} sort={{ field: 'createdAt', order: 'DESC' }} exporter={false}
      sx={narrow('authorId', 'createdAt')}
    >
      <DataTable rowClick={false} bulkActionButtons={<RestoreSelectedButton />}>
        <DataTable.Col source='title' />
        <DataTable.Col source='category' disableSort />
        <DataTable.Col source='authorId' disableSort>
          <ReferenceField source='authorId' reference='users' link={false} />
        </DataTable.Col>
        <DataTable.Col source='createdAt'>
          <CreatedField />
        </DataTable.Col>
        <DataTable.Col>
          <RestoreOneButton />
        </DataTable.Col>
      </DataTable>
    </List>
  )
}

function RestoreOneButton() {
  const post = useRecordContext<Post>()
  return post === undefined ? null : <RestoreButton ids={[post.id]} />
}

function RestoreSelectedButton() {
  const { selectedIds } = useListContext()
  return <RestoreButton ids={selectedIds} />
}

function RestoreButton({ ids }: { ids: readonly Identifier[] }) {
  const notify = useNotify()
  const refresh = useRefresh()
  const unselectAll = useUnselectAll('deleted-posts')
  const restore = useMutation({
    mutationFn: async () => {
      for (const id of ids) await data.call('posts', 'PUT /:id/restore', { id })
    },
    onSuccess: () => notify(ids.length === 1 ? 'Post restored' : `${ids.length} posts restored`),
    onError: (error) => notify(error.message, { type: 'error' }),
    onSettled: () => {
      unselectAll()
      refresh()
    },
  })
  return (
    <Button label='Restore' disabled={restore.isPending} onClick={() => restore.mutate()}>
      <RestoreIcon />
    </Button>
  )
}
