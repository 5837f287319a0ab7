import { Create, DeleteButton, Edit, EditButton, FilterDropdown, List, useForm, useSelect,
  useTable } from '@refinedev/antd'
import type { HttpError as RefineError } from '@refinedev/core'
import { Checkbox, Form, Input, Select, Table } from 'antd'
import { useState } from 'react'
import { HttpError } from 'resourcery/refine'

interface Post {
  readonly id: number
  readonly title: string
  readonly content: string
  readonly category: string
  readonly status: number
  readonly authorId: number
}

const CATEGORIES = ['general', 'how-to', 'news', 'opinion', 'release'].map((value) => ({ label: value, value }))
const STATUSES = [{ label: 'Published', value: 1 }, { label: 'Draft', value: 0 }]

export function Posts() {
  const { tableProps, searchFormProps } = useTable<Post, RefineError, { q?: string }>({
    pagination: { pageSize: 10 },
    sorters: { initial: [{ field: 'title', order: 'asc' }] },
    onSearch: ({ q }) => [{ field: 'q', operator: 'contains', value: q }],
  })
  return (
    <List>
      <Form {...searchFormProps} layout='inline'>
        <Form.Item name='q' label='Search'>
          <Input allowClear />
        </Form.Item>
      </Form>
      <Table {...tableProps} rowKey='id'>
        <Table.Column<Post> dataIndex='title' title='Title' sorter />
        <Table.Column<Post>
          dataIndex='category'
          title='Category'
          filterDropdown={(props) => (
            <FilterDropdown {...props}>
              <Checkbox.Group options={CATEGORIES} />
            </FilterDropdown>
          )}
        />
        <Table.Column<Post>
          title='Actions'
          render={(_, { id }) => (
            <>
              <EditButton hideText size='small' recordItemId={id} />
              <DeleteButton hideText size='small' recordItemId={id} />
            </>
          )}
        />
      </Table>
    </List>
  )
}

/** The fields of both forms. */
function Fields() {
  const { selectProps } = useSelect({ resource: 'users', optionLabel: 'name', optionValue: 'id', debounce: 50 })
  return (
    <>
      <Form.Item name='title' label='Title'>
        <Input />
      </Form.Item>
      <Form.Item name='content' label='Content'>
        <Input.TextArea rows={2} />
      </Form.Item>
      <Form.Item name='category' label='Category'>
        <Select options={CATEGORIES} />
      </Form.Item>
      <Form.Item name='status' label='Status'>
        <Select options={STATUSES} />
      </Form.Item>
      <Form.Item name='authorId' label='Author'>
        <Select {...selectProps} />
      </Form.Item>
    </>
  )
}

export function CreatePost() {
  const { formProps, saveButtonProps } = useForm<Post>({ action: 'create' })
  return (
    <Create saveButtonProps={saveButtonProps}>
      <Form {...formProps} layout='vertical'>
        <Fields />
      </Form>
    </Create>
  )
}

/** After a 412 the next save sends the version that the error has: the user has read that somebody changed the post. */
export function EditPost() {
  const [etag, setEtag] = useState<string>()
  const { formProps, saveButtonProps } = useForm<Post>({
    action: 'edit',
    ...(etag !== undefined && { mutationMeta: { ifMatch: etag } }),
    onMutationError: (error) => {
      if (error instanceof HttpError && error.statusCode === 412) setEtag(error.etag)
    },
  })
  return (
    <Edit saveButtonProps={saveButtonProps}>
      <Form {...formProps} layout='vertical'>
        <Fields />
      </Form>
    </Edit>
  )
}
