import type { AuthProvider as RefineAuthProvider, DataProvider as RefineDataProvider, AccessControlProvider } from '@refinedev/core'
import type { AuthProvider as AdminAuthProvider, DataProvider as AdminDataProvider } from 'ra-core'
import { expectTypeOf, it } from 'vitest'
import * as reactAdmin from 'resourcery/react-admin'
import * as refine from 'resourcery/refine'

it('the react-admin providers fit the types of react-admin', () => {
  const provider: AdminDataProvider = reactAdmin.dataProvider('/admin')
  const auth: AdminAuthProvider = reactAdmin.authProvider('/admin', { login: '/login' })
  expectTypeOf(provider.getList).toBeFunction()
  expectTypeOf(auth.checkAuth).toBeFunction()
  // @ts-expect-error An auth provider needs a login route.
  reactAdmin.authProvider('/admin', {})
  // @ts-expect-error `filter` is not an option of a resource.
  reactAdmin.dataProvider('/admin', { resources: { posts: { filter: ['status'] } } })
})

it('the data providers type records by a type parameter', async () => {
  const { data } = await reactAdmin.dataProvider('/admin').getOne<{ id: number; title: string }>('posts', { id: 1 })
  expectTypeOf(data.title).toEqualTypeOf<string>()
  const one = await refine.dataProvider('/admin').getOne({ resource: 'posts', id: 1 })
  expectTypeOf(one.data.title).toEqualTypeOf<unknown>()
})

it('the refine providers fit the types of refine', () => {
  const provider: RefineDataProvider = refine.dataProvider('/admin')
  const auth: RefineAuthProvider & AccessControlProvider = refine.authProvider('/admin', { login: '/login' })
  expectTypeOf(provider.getList).toBeFunction()
  expectTypeOf(auth.can).toBeFunction()
})
