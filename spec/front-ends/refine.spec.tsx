import './browser.js'
import { Refine, useCan, useCreate, useCreateMany, useCustom, useDelete, useDeleteMany, useForm, useGetIdentity,
  useInfiniteList, useIsAuthenticated, useList, useLogin, useLogout, useMany, useOne, usePermissions, useSelect,
  useUpdate, useUpdateMany } from '@refinedev/core'
import { act, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authProvider, dataProvider, type DataProvider } from 'resourcery/refine'
import { STARTING, startBlog, type Blog, type Person } from '../support/blog.js'

describe('refine on the blog', () => {
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

  const options = () => ({
    disableTelemetry: true,
    reactQuery: { clientConfig: { defaultOptions: { queries: { retry: false }, mutations: { retry: false } } } },
  })

  function pageOf(person: Person) {
    const [provider, settings] = [providerOf(person), options()]
    return ({ children }: { children: ReactNode }) => (
      <Refine dataProvider={provider} options={settings}>{children}</Refine>
    )
  }

  it('lists records with a search, an order and filters', async () => {
    const { result } = renderHook(() =>
      useList({
        resource: 'posts',
        pagination: { currentPage: 1, pageSize: 5 },
        sorters: [{ field: 'title', order: 'asc' }],
        filters: [{ field: 'category', operator: 'eq', value: 'news' }, {
          field: 'q',
          operator: 'contains',
          value: 'Post 1',
        }],
      }), { wrapper: pageOf('user') })
    await waitFor(() => expect(result.current.result.data).toHaveLength(5))
    expect(result.current.result.data.every(({ category }) => category === 'news')).toBe(true)
  })

  it('loads the next page of a list by cursor', async () => {
    const { result } = renderHook(() => useInfiniteList({ resource: 'scrolled', pagination: { pageSize: 100 } }), {
      wrapper: pageOf('user'),
    })
    await waitFor(() => expect(result.current.result.hasNextPage).toBe(true))
    await act(() => result.current.query.fetchNextPage())
    await waitFor(() => expect(result.current.result.data?.pages.flatMap(({ data }) => data)).toHaveLength(200))
    expect(result.current.result.hasNextPage).toBe(false)
  })

  it('reads one record, several, and any URL', async () => {
    const { result } = renderHook(() => ({
      one: useOne({ resource: 'posts', id: 7 }),
      many: useMany({ resource: 'posts', ids: [1, 2] }),
      users: useMany({ resource: 'users', ids: [3, 40] }),
      me: useCustom({ url: `${blog.url}/admin/me`, method: 'get' }),
    }), { wrapper: pageOf('editor') })
    await waitFor(() => expect(Object.values(result.current).every(({ query }) => query.isSuccess)).toBe(true))
    const { one, many, users, me } = result.current
    expect([
      one.result?.id,
      many.result.data.map(({ id }) => id),
      users.result.data.map(({ id }) => id),
      me.result.data.email,
    ])
      .toEqual([7, [1, 2], [3, 40], 'editor@example.test'])
  })

  it('creates, updates and deletes one record and several', async () => {
    const { result } = renderHook(() => ({
      create: useCreate(),
      createMany: useCreateMany(),
      update: useUpdate(),
      updateMany: useUpdateMany(),
      remove: useDelete(),
      removeMany: useDeleteMany(),
    }), { wrapper: pageOf('editor') })
    const hooks = result.current
    const { data: one } = await act(() =>
      hooks.create.mutateAsync({ resource: 'posts', values: { title: 'Сообщение 一 🎉' } })
    )
    const { data: others } = await act(() =>
      hooks.createMany.mutateAsync({ resource: 'posts', values: [{ title: 'A' }, { title: 'B' }] })
    )
    expect([one.title, others.map(({ title }) => title as string)]).toEqual(['Сообщение 一 🎉', ['A', 'B']])
    expect(
      (await act(() => hooks.update.mutateAsync({ resource: 'posts', id: one.id ?? 0, values: { status: 0 } }))).data,
    )
      .toMatchObject({ title: one.title, status: 0 })
    const ids = others.map(({ id }) => id ?? 0)
    expect((await act(() => hooks.updateMany.mutateAsync({ resource: 'posts', ids, values: { category: 'x' } }))).data)
      .toHaveLength(2)
    await act(() => hooks.remove.mutateAsync({ resource: 'posts', id: one.id ?? 0 }))
    await act(() => hooks.removeMany.mutateAsync({ resource: 'posts', ids }))
    await expect(providerOf('editor').getOne({ resource: 'posts', id: ids[0] ?? 0 })).rejects.toMatchObject({
      statusCode: 404,
    })
  })

  it('passes the messages of fields and 412 to a form', async () => {
    const { result } = renderHook(() => useForm({ resource: 'posts', action: 'edit', id: 15, redirect: false }), {
      wrapper: pageOf('admin'),
    })
    await waitFor(() => expect(result.current.query?.isSuccess).toBe(true))
    await act(async () => {
      await result.current.onFinish({ title: '' }).catch(() => undefined)
    })
    await waitFor(() =>
      expect(result.current.mutation.error).toMatchObject({ statusCode: 422, errors: { title: [expect.any(String)] } })
    )
    await providerOf('admin').update({ resource: 'posts', id: 15, variables: { title: 'Theirs' } })
    await act(async () => {
      await result.current.onFinish({ title: 'Mine' }).catch(() => undefined)
    })
    await waitFor(() =>
      expect(result.current.mutation.error).toMatchObject({ statusCode: 412, current: { title: 'Theirs' } })
    )
  })

  it('keeps the record of a form after a 412, so that what was typed stays, and refuses the next save too', async () => {
    const { result } = renderHook(() => useForm({ resource: 'posts', action: 'edit', id: 16, redirect: false }), {
      wrapper: pageOf('admin'),
    })
    await waitFor(() => expect(result.current.query?.isSuccess).toBe(true))
    const opened = result.current.query?.data?.data
    await providerOf('admin').update({ resource: 'posts', id: 16, variables: { title: 'Theirs' } })
    for (const _ of [1, 2]) {
      await act(async () => {
        await result.current.onFinish({ title: 'Mine' }).catch(() => undefined)
      })
      await waitFor(() => expect(result.current.mutation.error).toMatchObject({ statusCode: 412 }))
      await waitFor(() => expect(result.current.query?.isFetching).toBe(false))
      // The form of antd is filled again where this is another object.
      expect(result.current.query?.data?.data).toBe(opened)
    }
    expect((await providerOf('admin').getOne({ resource: 'posts', id: 16 })).data).toMatchObject({ title: 'Theirs' })
  })

  it('searches the list of a select by its label', async () => {
    const { result } = renderHook(() => useSelect({ resource: 'posts', optionLabel: 'title', debounce: 0 }), {
      wrapper: pageOf('user'),
    })
    await waitFor(() => expect(result.current.options).toHaveLength(10))
    act(() => result.current.onSearch('Post 199'))
    await waitFor(() => expect(result.current.options.map(({ value }) => value)).toEqual([199]))
  })

  it('signs in and out, and offers only permitted actions', async () => {
    const url = `${blog.url}/admin`
    const [provider, auth, settings] = [dataProvider(url), authProvider(url, { login: '/login' }), options()]
    const wrapper = ({ children }: { children: ReactNode }) => (
      <Refine dataProvider={provider} authProvider={auth} accessControlProvider={auth} options={settings}>
        {children}
      </Refine>
    )
    const signing = renderHook(() => ({ login: useLogin(), logout: useLogout() }), { wrapper })
    const refused = await act(() =>
      signing.result.current.login.mutateAsync({ email: 'editor@example.test', password: 'wrong' })
    )
    expect(refused).toMatchObject({ success: false, error: { message: 'Wrong e-mail or password' } })
    await act(() =>
      signing.result.current.login.mutateAsync({
        email: 'editor@example.test',
        password: 'correct horse battery staple',
      })
    )
    const { result } = renderHook(() => ({
      authenticated: useIsAuthenticated(),
      identity: useGetIdentity<{ email: string }>(),
      permissions: usePermissions<readonly string[]>({}),
      edit: useCan({ resource: 'posts', action: 'edit' }),
      create: useCan({ resource: 'users', action: 'create' }),
    }), { wrapper })
    await waitFor(() => expect(Object.values(result.current).every(({ isSuccess }) => isSuccess)).toBe(true))
    const { authenticated, identity, permissions, edit, create } = result.current
    expect([authenticated.data?.authenticated, identity.data?.email, edit.data?.can, create.data?.can]).toEqual([
      true,
      'editor@example.test',
      true,
      false,
    ])
    expect(permissions.data).toContain('admin.posts.*')
    await act(() => signing.result.current.logout.mutateAsync({}))
    expect(await auth.check()).toMatchObject({ authenticated: false })
  })
})
