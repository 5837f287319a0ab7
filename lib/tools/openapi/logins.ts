import type { MountedRoute } from '../../core/index.js'
import type { Login } from './page-script.js'
import type { ListedRoute } from './routes.js'

/** The route where callers sign in: a path, a path for each application, or `false` for none. */
export type LoginOption = string | Readonly<Record<string, string>> | false

/** The end of the path of a login. */
const LOGIN = /\/(?:log-?in|sign-?in|sessions?|tokens?)$/i

/** Returns the login of each application: those of the option, otherwise public POST routes that are called so. */
export function loginsOf(listed: readonly ListedRoute[], option: LoginOption | undefined): Login[] {
  if (option === false) return []
  const apps = [...new Set(listed.flatMap(({ route }) => route.guardedBy))]
  if (typeof option === 'object') return Object.entries(option).map(([app, path]) => ({ app, path }))
  if (typeof option === 'string') {
    const own = listed.find(({ path, route }) => path === option && route.method === 'POST')?.route.app
    return (own === undefined ? apps : [own]).map((app) => ({ app, path: option }))
  }
  const logins = listed.filter(({ path, route }) => isLogin(route) && LOGIN.test(path) && !/[:*{]/.test(path))
  return apps.flatMap((app) => {
    const login = logins.find(({ route }) => route.app === app)
      ?? (apps.length === 1 ? logins.find(({ route }) => route.app === undefined) : undefined)
    return login === undefined ? [] : [{ app, path: login.path }]
  })
}

function isLogin({ method, guardedBy, doc }: MountedRoute): boolean {
  return method === 'POST' && guardedBy.length === 0 && doc !== false
}
