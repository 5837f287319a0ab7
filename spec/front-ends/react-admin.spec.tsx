import './browser.js'
import { act, fireEvent, render, renderHook, screen, waitFor } from '@testing-library/react'
import { CanAccess, CoreAdminContext, EditBase, Form, memoryStore, useCanAccess, useCreate, useDelete, useDeleteMany,
  useGetIdentity, useGetList, useGetMany, useGetManyAggregate, useGetManyReference, useGetOne, useInfiniteGetList,
  useInput, useLogin, useLogout, usePermissions, useUpdate, useUpdateMany, useNotificationContext } from 'ra-core'
import type { ReactNode } from 'react'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { authProvider, dataProvider, type DataProvider, type HttpError } from 'resourcery/react-admin'
import { STARTING, startBlog, type Blog, type Person } from '../support/blog.js'

describe('react-admin on the blog', () => {
  let blog: Blog
  beforeAll(async () => {
    blog = await startBlog()
  }, STARTING)
  afterAll(() => blog.close())

  const providerOf = (person: Person): DataProvider =>
    dataProvider(`${blog.url}/admin`, {
      tokens: { get: () => blog.tokens.admin[person], set: () => undefined },
      resources: { posts: { filters: ['category', 'status'] }, scrolled: { path: '/posts', cursor: true } },
    })

  function pageOf(person: Person, provider = providerOf(person)) {
    return ({ children }: { children: ReactNode }) => (
      <CoreAdminContext dataProvider={provider} store={memoryStore()}>{children}</CoreAdminContext>
    )
  }

  const PAGE = { pagination: { page: 1, perPage: 5 }, sort: { field: 'id', order: 'DESC' } } as const

  it('lists records with a search, an order and filters', async () => {
    const { result } = renderHook(() => useGetList('posts', { ...PAGE, filter: { category: 'news', q: 'Post 1' } }), {
      wrapper: pageOf('user'),
    })
    await waitFor(() => expect(result.current.data).toHaveLength(5))
    expect(result.current.data?.every(({ category }) => category === 'news')).toBe(true)
    expect(result.current.total).toBeGreaterThan(5)
  })

  it('loads the next page of a list by cursor', async () => {
    const { result } = renderHook(() => useInfiniteGetList('scrolled', PAGE), { wrapper: pageOf('user') })
    await waitFor(() => expect(result.current.data?.pages).toHaveLength(1))
    expect(result.current.hasNextPage).toBe(true)
    await act(() => result.current.fetchNextPage())
    await waitFor(() =>
      expect(result.current.data?.pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual([
        200,
        199,
        198,
        197,
        196,
        195,
        194,
        193,
        192,
        191,
      ])
    )
  })

  it('reads one record, several, aggregated ones and references', async () => {
    const { result } = renderHook(() => ({
      one: useGetOne('posts', { id: 7 }),
      many: useGetMany('posts', { ids: [1, 2, 1] }),
      users: useGetMany('users', { ids: [3, 40] }),
      first: useGetManyAggregate('users', { ids: [5] }),
      second: useGetManyAggregate('users', { ids: [6] }),
      referring: useGetManyReference('posts', { target: 'category', id: 'news', ...PAGE, filter: {} }),
    }), { wrapper: pageOf('editor') })
    await waitFor(() => expect(Object.values(result.current).every(({ data }) => data !== undefined)).toBe(true))
    const { one, many, users, first, second, referring } = result.current
    expect([one.data, many.data, users.data].map((data) => [data].flat().map(({ id }) => id as number))).toEqual([[7], [
      1,
      2,
    ], [3, 40]])
    expect([first.data, second.data].map((data) => data?.map(({ id }) => id as number))).toEqual([[5], [6]])
    expect(referring.total).toBe(50)
  })

  it('creates, updates and deletes one record and several', async () => {
    const { result } = renderHook(
      () => ({
        create: useCreate(),
        update: useUpdate(),
        updateMany: useUpdateMany(),
        remove: useDelete(),
        removeMany: useDeleteMany(),
      }),
      { wrapper: pageOf('editor') },
    )
    const add = async (title: string) =>
      await act(() => result.current.create[0]('posts', { data: { title } }, { returnPromise: true })) as {
        id: number
        title: string
      }
    const one = await add('Сообщение 一 🎉')
    expect(one).toMatchObject({ title: 'Сообщение 一 🎉', category: 'general', authorId: 2 })
    const changed: unknown = await act(() =>
      result.current.update[0]('posts', { id: one.id, data: { ...one, status: 0 }, previousData: one }, {
        returnPromise: true,
      })
    )
    expect(changed).toEqual({ ...one, status: 0 })
    const other = await add('Another')
    expect(
      await act(() =>
        result.current.updateMany[0]('posts', { ids: [one.id, other.id], data: { category: 'changed' } }, {
          returnPromise: true,
        })
      ),
    )
      .toEqual([one.id, other.id])
    await act(() =>
      result.current.remove[0]('posts', { id: one.id, previousData: { ...one, status: 0, category: 'changed' } }, {
        returnPromise: true,
      })
    )
    expect(await act(() => result.current.removeMany[0]('posts', { ids: [other.id] }, { returnPromise: true })))
      .toEqual([other.id])
    await expect(providerOf('editor').getOne('posts', { id: other.id })).rejects.toMatchObject({ status: 404 })
  })

  function TitleInput() {
    const { field, fieldState } = useInput({ source: 'title' })
    return (
      <>
        <input aria-label='title' {...field} />
        <p role='alert'>{fieldState.error?.message}</p>
      </>
    )
  }

  function Notices() {
    const { notifications } = useNotificationContext()
    return (
      <ul>
        {notifications.map(({ message }: { message: unknown }) => <li key={String(message)}>{String(message)}</li>)}
      </ul>
    )
  }

  async function openForm(
    id: number,
    options: { onError?: (error: HttpError) => void } = {},
  ): Promise<{ save: (title: string) => void }> {
    const Page = pageOf('admin')
    render(
      <Page>
        <EditBase
          resource='posts'
          id={id}
          mutationMode='pessimistic'
          redirect={false}
          mutationOptions={options as object}
        >
          <Form>
            <TitleInput />
            <button type='submit'>Save</button>
          </Form>
        </EditBase>
        <Notices />
      </Page>,
    )
    await waitFor(() => expect((screen.getByLabelText('title') as HTMLInputElement).value).not.toBe(''))
    return {
      save: (title) => {
        fireEvent.change(screen.getByLabelText('title'), { target: { value: title } })
        fireEvent.click(screen.getByText('Save'))
      },
    }
  }

  it('shows the message of a field, and saves once the value is valid', async () => {
    const { save } = await openForm(12)
    save('x'.repeat(201))
    await waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(/200/))
    save('A new title')
    await waitFor(async () =>
      expect((await providerOf('user').getOne('posts', { id: 12 })).data.title).toBe('A new title')
    )
    expect(screen.getByRole('alert').textContent).toBe('')
  })

  it('passes 412 with the current record to a form whose record has changed', async () => {
    const onError = vi.fn<(error: HttpError) => void>()
    const { save } = await openForm(13, { onError })
    await providerOf('admin').update('posts', { id: 13, data: { title: 'Theirs' } })
    save('Mine')
    await waitFor(() => expect(onError).toHaveBeenCalledOnce())
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ status: 412, body: { current: { id: 13, title: 'Theirs' } } })
  })

  it('notifies about a conflict that the form does not handle', async () => {
    const { save } = await openForm(14)
    await providerOf('admin').update('posts', { id: 14, data: { title: 'Theirs' } })
    save('Mine')
    await screen.findByText('The record was changed since you read it')
  })

  it('signs in and out, and offers only permitted actions', async () => {
    const url = `${blog.url}/admin`
    const auth = authProvider(url, { login: '/login' })
    const wrapper = ({ children }: { children: ReactNode }) => (
      <CoreAdminContext dataProvider={dataProvider(url)} authProvider={auth} store={memoryStore()}>
        {children}
      </CoreAdminContext>
    )
    const signing = renderHook(() => ({ login: useLogin(), logout: useLogout() }), { wrapper })
    await expect(signing.result.current.login({ username: 'editor@example.test', password: 'wrong' })).rejects.toThrow(
      'Wrong e-mail or password',
    )
    await act(() =>
      signing.result.current.login({ username: 'editor@example.test', password: 'correct horse battery staple' })
    )
    const { result } = renderHook(() => ({
      identity: useGetIdentity(),
      permissions: usePermissions(),
      edit: useCanAccess({ resource: 'posts', action: 'edit' }),
      create: useCanAccess({ resource: 'users', action: 'create' }),
      list: useGetList('users', PAGE),
    }), { wrapper })
    await waitFor(() => expect(result.current.list.total).toBe(60))
    await waitFor(() => expect(result.current.identity.identity?.fullName).toBe('Edgar Editor'))
    expect(result.current.permissions.permissions).toEqual(['admin.posts.*', 'admin.users.list', 'admin.users.show'])
    await waitFor(() => expect([result.current.edit.canAccess, result.current.create.canAccess]).toEqual([true, false]))
    render(
      <CanAccess resource='posts' action='restore'>
        <p>Restore</p>
      </CanAccess>,
      { wrapper },
    )
    await screen.findByText('Restore')
    await act(async () => {
      await signing.result.current.logout()
    })
    await expect(auth.checkAuth()).rejects.toMatchObject({ status: 401 })
  })
})
