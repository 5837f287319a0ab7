import { fieldOf } from '../providers/date-times.js'
import { convertingErrors } from '../providers/failure.js'
import { checkOptions } from '../providers/options.js'
import { createSession, SESSION_OPTIONS, type AuthProviderOptions as SessionOptions } from '../providers/session.js'
import { toHttpError } from './http-error.js'
import type { AuthProvider } from './types.js'

export interface AuthProviderOptions extends SessionOptions {
  /** The page of the front end where users sign in. @default '/login' */
  readonly loginPage?: string | undefined
  /** The page after signing in. @default '/' */
  readonly homePage?: string | undefined
}

/** The permissions that actions of refine need, where they have other names than the actions of a resource. */
const ACTIONS: Readonly<Record<string, string>> = { edit: 'store', clone: 'create' }

/**
 * Creates an auth provider of refine for a login route that replies with a token; it is an access control provider too.
 *
 * @example
 * const auth = authProvider('https://api.example.test/admin', { login: '/login' })
 * const { success } = await auth.login({ email: 'ann@example.test', password: 'secret' })
 */
export function authProvider(url: string, options: AuthProviderOptions): AuthProvider {
  checkOptions('authProvider', options, ['loginPage', 'homePage', ...SESSION_OPTIONS])
  const { loginPage = '/login', homePage = '/', ...sessionOptions } = options
  const session = createSession(url, sessionOptions)
  return {
    login: async (params) => {
      try {
        await session.signIn(params)
        return { success: true, redirectTo: homePage }
      } catch (error) {
        // The name is the title of refine's notification.
        return { success: false, error: Object.assign(toHttpError(error) as Error, { name: 'Login Error' }) }
      }
    },
    logout: async () => {
      await session.signOut()
      return { success: true, redirectTo: loginPage }
    },
    check: async () => (await session.isSignedIn()
      ? { authenticated: true }
      : { authenticated: false, logout: true, redirectTo: loginPage }),
    onError: async (error) =>
      Promise.resolve(
        fieldOf(error, 'statusCode') === 401
          ? { logout: true, redirectTo: loginPage, error: error as Error }
          : {},
      ),
    ...convertingErrors({
      getPermissions: () => session.permissions(),
      getIdentity: async () => {
        const user = await session.identity()
        return { ...user, name: user.name ?? user.fullName ?? user.email, avatar: user.avatar ?? user.avatarUrl }
      },
      can: async ({ resource, action }: { readonly resource?: string; readonly action: string }) => {
        if (resource === undefined || await session.may(resource, [ACTIONS[action] ?? action])) return { can: true }
        return { can: false, reason: 'Permission denied' }
      },
    }, toHttpError),
  }
}
