import type { RealShape, Shape } from './servers/data.js'

export interface WireRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  /** The role of its token, one of `ROLES`; `forged` is signed by another key. */
  readonly role?: 'editor' | 'guest' | 'forged'
}

export interface Workload {
  readonly key: string
  readonly title: string
  readonly request: WireRequest
  readonly status: number
  /** The number of resources besides the posts. */
  readonly resources: number
  readonly shape: Shape
}

/** A request that every server must refuse, so that none is fast by omitting a check. */
export interface Refusal {
  readonly title: string
  readonly request: WireRequest
  readonly status: number
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

const BASIC: readonly Omit<Workload, 'shape'>[] = [
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

const REFUSALS: readonly Refusal[] = [
  { title: 'a record that is not there', request: { method: 'GET', path: '/posts/999' }, status: 404 },
  { title: 'an invalid id', request: { method: 'GET', path: '/posts/x' }, status: 422 },
  { title: 'an invalid page', request: { method: 'GET', path: '/posts?page=0' }, status: 422 },
  { title: 'a limit too high', request: { method: 'GET', path: '/posts?limit=101' }, status: 422 },
  { title: 'no path', request: { method: 'GET', path: '/nothing' }, status: 404 },
]
const GUARDED_REFUSALS: readonly Refusal[] = [
  { title: 'no token', request: { method: 'GET', path: '/admin/posts/42' }, status: 401 },
  { title: 'no permission', request: { method: 'GET', path: '/admin/posts/42', role: 'guest' }, status: 403 },
]

const ACTIONS = {
  show: { request: { method: 'GET', path: '/posts/42' }, status: 200 },
  list: { request: { method: 'GET', path: '/posts?page=2&limit=20&search=notes' }, status: 200 },
  create: { request: { method: 'POST', path: '/posts', body: VALID }, status: 201 },
} as const
const REFUSED = {
  401: { request: { method: 'GET', path: '/posts/42' }, status: 401 },
  403: { request: { method: 'GET', path: '/posts/42', role: 'guest' }, status: 403 },
  404: { request: { method: 'GET', path: '/posts/999', role: 'editor' }, status: 404 },
  '404-path': { request: { method: 'GET', path: '/nothing/42', role: 'editor' }, status: 404 },
  422: { request: { method: 'POST', path: '/posts', body: INVALID, role: 'editor' }, status: 422 },
} as const

/** The parts of the applications in `servers/real`, by their shape. */
const PLACES: Readonly<Record<RealShape, string>> = {
  public: 'public',
  guarded: 'guarded',
  plugins: 'guarded, helmet and cors',
  logs: 'guarded, access logs',
  'plugins+logs': 'guarded, helmet, cors and access logs',
}

/** The workloads that `--set` selects. */
export const SETS = {
  basic: BASIC.map((workload): Workload => ({ ...workload, shape: 'app' })),
  router: BASIC.map((workload): Workload => ({
    ...workload,
    key: `${workload.key}/api`,
    title: `${workload.title}, in a Router`,
    request: under('/api', workload.request),
    shape: 'router',
  })),
  real: [
    ...real('R1', 'public', ACTIONS),
    ...real('R2', 'guarded', ACTIONS),
    ...real('R3', 'plugins', ACTIONS),
    ...real('R4', 'logs', ACTIONS),
    ...real('R4', 'plugins+logs', ACTIONS),
    ...real('R5', 'guarded', REFUSED),
    ...real('R5', 'plugins', REFUSED),
    ...real('R5', 'logs', REFUSED),
  ],
} as const satisfies Readonly<Record<string, readonly Workload[]>>

export type WorkloadSet = keyof typeof SETS

/** All workloads, of every set. */
export const WORKLOADS: readonly Workload[] = Object.values(SETS).flat()

function real(
  group: string,
  shape: RealShape,
  actions: Readonly<Record<string, Pick<Workload, 'request' | 'status'>>>,
): Workload[] {
  return Object.entries(actions).map(([action, { request, status }]) => ({
    key: `${group}.${action}@${shape}`,
    title: `${action}, ${PLACES[shape]}`,
    request: under('/api', status < 400 && shape !== 'public' ? { ...request, role: 'editor' } : request),
    status,
    resources: 0,
    shape,
  }))
}

/** Returns the requests that an app of this shape must refuse. */
export function refusalsOf(shape: Shape): Refusal[] {
  const inApi = (refusal: Refusal): Refusal => ({ ...refusal, request: under('/api', refusal.request) })
  if (shape === 'app') return [...REFUSALS, ...GUARDED_REFUSALS]
  if (shape === 'router') return [...REFUSALS, ...GUARDED_REFUSALS].map(inApi)
  if (shape === 'public') return REFUSALS.map(inApi)
  return [
    ...REFUSALS.map((refusal): Refusal => ({ ...refusal, request: { ...refusal.request, role: 'editor' } })),
    ...Object.entries(REFUSED).map(([title, refusal]) => ({ title, ...refusal })),
    { title: 'no path, without a token', request: { method: 'GET', path: '/nothing/42' }, status: 401 } as const,
    { title: 'an invalid token', request: { method: 'GET', path: '/posts/42', role: 'forged' }, status: 401 } as const,
  ].map(inApi)
}

function under(prefix: string, request: WireRequest): WireRequest {
  return { ...request, path: `${prefix}${request.path}` }
}
