import '@ant-design/v5-patch-for-react-19'
import { AuthPage, ErrorComponent, RefineThemes, ThemedLayout, useNotificationProvider } from '@refinedev/antd'
import { Authenticated, Refine } from '@refinedev/core'
import routerProvider, { NavigateToResource } from '@refinedev/react-router'
import { App, ConfigProvider } from 'antd'
import { createRoot } from 'react-dom/client'
import { HashRouter, Outlet, Route, Routes } from 'react-router'
import { authProvider, dataProvider } from 'resourcery/refine'
import { CreatePost, EditPost, Posts } from './posts.tsx'

const API = '/admin'
const resources = { posts: { filters: ['category', 'status'] }, users: { filters: ['status'] } }
const auth = authProvider(API, { login: '/login', app: 'admin' })
const options = { disableTelemetry: true, warnWhenUnsavedChanges: false }

function Application() {
  return (
    <Refine
      authProvider={auth}
      accessControlProvider={auth}
      dataProvider={dataProvider(API, { resources })}
      notificationProvider={useNotificationProvider}
      routerProvider={routerProvider}
      resources={[{ name: 'posts', list: '/posts', create: '/posts/create', edit: '/posts/edit/:id' }]}
      options={options}
    >
      <Routes>
        <Route element={
          <Authenticated key='pages' fallback={<AuthPage />}>
            <ThemedLayout>
              <Outlet />
            </ThemedLayout>
          </Authenticated>
        }>
          <Route index element={<NavigateToResource resource='posts' />} />
          <Route path='/posts' element={<Posts />} />
          <Route path='/posts/create' element={<CreatePost />} />
          <Route path='/posts/edit/:id' element={<EditPost />} />
          <Route path='*' element={<ErrorComponent />} />
        </Route>
        <Route path='/login' element={<AuthPage registerLink={false} forgotPasswordLink={false} />} />
      </Routes>
    </Refine>
  )
}

createRoot(document.getElementById('root')!).render(
  <HashRouter>
    <ConfigProvider theme={RefineThemes.Blue}>
      <App>
        <Application />
      </App>
    </ConfigProvider>
  </HashRouter>,
)
