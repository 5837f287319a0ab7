export interface WireRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  /** The role of its token, one of `ROLES`. */
  readonly role?: 'editor' | 'guest'
}

export interface Workload {
  readonly key: string
  readonly title: string
  readonly request: WireRequest
  readonly status: number
  /** The number of resources besides the posts. */
  readonly resources: number
}

const VALID = JSON.stringify({
  title: 'On benches',
  content: 'A paragraph that says what a bench is for, and what not.',
  category: 'guide',
  status: 1,
})
const INVALID = JSON.stringify({
  title: 'On',
  content: 'A paragraph that says what a bench is for, and what not.',
  category: 'essay',
  status: 'many',
})

/** The measured workloads. */
export const WORKLOADS: readonly Workload[] = [
  { key: 'W1', title: 'show one record', request: { method: 'GET', path: '/posts/42' }, status: 200, resources: 0 },
  {
    key: 'W2',
    title: 'list: page 2 of 20, search, query validated',
    request: { method: 'GET', path: '/posts?page=2&limit=20&search=notes' },
    status: 200,
    resources: 0,
  },
  {
    key: 'W3',
    title: 'create: body validated',
    request: { method: 'POST', path: '/posts', body: VALID },
    status: 201,
    resources: 0,
  },
  {
    key: 'W4',
    title: 'show behind a token and a permission',
    request: { method: 'GET', path: '/admin/posts/42', role: 'editor' },
    status: 200,
    resources: 0,
  },
  ...[1, 10, 100, 500].map((resources) => ({
    key: `W5@${resources}`,
    title: `show of the last of ${resources} resources`,
    request: { method: 'GET', path: `/things${resources - 1}/7` },
    status: 200,
    resources,
  } as const)),
  {
    key: 'W6',
    title: 'an invalid body: 422 with the fields',
    request: { method: 'POST', path: '/posts', body: INVALID },
    status: 422,
    resources: 0,
  },
]

/** Requests that every server must refuse, so that none is fast by omitting a check. */
export const REFUSALS: readonly { readonly title: string; readonly request: WireRequest; readonly status: number }[] = [
  { title: 'a record that is not there', request: { method: 'GET', path: '/posts/999' }, status: 404 },
  { title: 'an invalid id', request: { method: 'GET', path: '/posts/x' }, status: 422 },
  { title: 'an invalid page', request: { method: 'GET', path: '/posts?page=0' }, status: 422 },
  { title: 'a limit too high', request: { method: 'GET', path: '/posts?limit=101' }, status: 422 },
  { title: 'no path', request: { method: 'GET', path: '/nothing' }, status: 404 },
  { title: 'no token', request: { method: 'GET', path: '/admin/posts/42' }, status: 401 },
  { title: 'no permission', request: { method: 'GET', path: '/admin/posts/42', role: 'guest' }, status: 403 },
]
