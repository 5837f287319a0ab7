/** Where the token of a signed-in user is kept. */
export interface TokenStore {
  /** Returns the token, or `null` if the user is not signed in. */
  get(): string | null | PromiseLike<string | null>
  /** Keeps a token; `null` removes it. `data` is that of the login route, which may have a refresh token too. */
  set(token: string | null, data?: unknown): void | PromiseLike<void>
  /**
   * Gets and keeps a new token after a 401; `null` where the user has to sign in again. The request is then sent once
   * more. Parallel calls share one refresh.
   *
   * @default none: a 401 signs out
   */
  refresh?(): Promise<string | null>
}

/** The part of `Storage` that is used; Node.js has no types for it. */
interface BrowserStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** The parts of a browser that are used. */
interface Page {
  /** Exists in each environment, so that `globalThis` has the type of a page. */
  readonly URL: unknown
  readonly window?: { readonly localStorage?: BrowserStorage }
}

const tokenByKey = new Map<string, string>()

/**
 * Returns the token store of an API, by its URL: `localStorage` in a browser, the memory of the process elsewhere.
 *
 * A data provider and an auth provider of the same URL share a token because both use this store.
 */
export function tokenStoreOf(url: string): TokenStore {
  const key = `resourcery:${url}`
  return {
    get: () => browserStorage()?.getItem(key) ?? tokenByKey.get(key) ?? null,
    set: (token) => {
      tokenByKey.delete(key)
      const storage = browserStorage()
      if (token === null) storage?.removeItem(key)
      else if (storage === undefined) tokenByKey.set(key, token)
      else storage.setItem(key, token)
    },
  }
}

/** Returns `localStorage`, which throws where the user has blocked it. */
function browserStorage(): BrowserStorage | undefined {
  try {
    const { window }: Page = globalThis
    return window?.localStorage
  } catch {
    return undefined
  }
}
