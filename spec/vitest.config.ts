import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig, type TestProjectInlineConfiguration, type TestUserConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
const LIBRARIES = 'spec/libraries'
const FRONT_ENDS = 'spec/front-ends'
const GUIDES = 'spec/guides'
const EXISTING = 'spec/existing'
const PANEL = 'samples/admin-panel'
const ANTD = 'spec/front-ends/antd'

/** One sign-in in a new context of Chromium takes up to 20 s beside other steps on two cores. */
const BROWSER = { expect: { poll: { timeout: 20_000 } }, testTimeout: 180_000 }

/** Specs on an embedded PostgreSQL, which takes seconds to start: `npm run test:embedded`. */
const EMBEDDED = [
  'crud/aggregates',
  'crud/bulk-together',
  'crud/children-deferred',
  'crud/children-embedded',
  'crud/children-races',
  'crud/export',
  'crud/idempotency/embedded',
  'crud/if-match/races',
  'crud/import',
  'crud/batch-hooks',
  'crud/nested-embedded',
  'crud/references-embedded',
  'crud/reply-check',
  'crud/statements',
  'crud/unique-when-live',
  'crud/violations',
  'openapi/blog',
  'openapi/enforced',
  'openapi/examples',
  'redact-embedded',
  'sources/kysely',
  'stores/decimals',
  'stores/kysely',
].map((name) => `spec/${name}.spec.ts`)

const DOCS = ['spec/docs.spec.ts', 'spec/docs/*.spec.ts', 'spec/docstrings.spec.ts']
const BOOKINGS = 'samples/bookings/spec'
const SAMPLES = ['spec/samples.spec.ts', 'spec/help-desk.spec.ts', 'spec/mcp/schemas.spec.ts',
  `${BOOKINGS}/embedded.spec.ts`]
const EDITOR = ['spec/editor.spec.ts', 'spec/auth/callers.spec.ts']

/** Specs of the areas `client` and `tools`, which read the routes of an app. */
const CONSUMERS = [
  'spec/{client,envelope-consumers,mcp,openapi,react-admin,refine,testing}.spec.ts',
  'spec/{cli,client,mcp,openapi,providers,testing}/*.spec.ts',
]

/** Random specs, and those of `checkApi` and of its command on small apps, that count for the coverage. */
const MEASURED = [
  'spec/testing/check/{check-api,command,envelope}.spec.ts',
  'spec/{body/read-text,fast/matching,validate/faults}.property.spec.ts',
]

/** Specs that read the source with the compiler or a bundler, and run none of it. */
const SOURCES = ['architecture', 'client/bundle', 'crud/features', 'message-keys', 'module-state', 'suites']
  .map((name) => `spec/${name}.spec.ts`)

/** Specs that belong to none of the two suites of units and HTTP. */
const ELSEWHERE = [
  'spec/**/*.property.spec.ts',
  'spec/**/*.process.spec.ts',
  'spec/testing/check/**',
  'spec/blog/**',
  'spec/databases/**',
  'spec/faults/**',
  `${LIBRARIES}/**`,
  `${FRONT_ENDS}/**`,
  `${GUIDES}/**`,
  `${EXISTING}/**`,
  ...EMBEDDED,
  ...DOCS,
  ...SAMPLES,
  ...EDITOR,
  ...SOURCES,
]

/** The specs that go through routes and replies; `.ci/nightly` has those of the blog and of the features of `crud` too. */
const ROUTED = [
  'flow',
  'access',
  'access.property',
  'guards.property',
  'permission',
  'not-found',
  'auth/*',
  'resource/*',
  'routing/*',
  'send',
  'serve',
  'serve/!(*.process)',
  'error-handler',
  'express/*',
  'fast/routing.property',
  'dux',
  'crud',
  'crud/if-match/if-match',
  'crud/idempotency/idempotency',
  ...(process.env.NIGHTLY === 'true' ? ['blog/!(*.process)', 'crud/!(*.process)'] : []),
]
  .map((name) => `spec/${name}.spec.ts`)

/** Specs of what `router` before 2.3 can't do: it can neither list nested Routers nor take the fast path. */
const NEEDS_MOUNT_PATHS = [
  'spec/resource/{listing,mount-paths,route-manifest,duplicates,nested-routers}.spec.ts',
  'spec/express/entry.spec.ts',
]

/** Specs that replace modules, load the package twice, or count what happens once in a process: each runs in a process of its own. */
const ALONE = [
  'copies',
  'loading-fails',
  'openapi/unchanged-app',
  'upload/spool',
  'upload/temporary-file',
].map((name) => `spec/${name}.spec.ts`)

const versions = process.env.VERSIONS

/** The specs in which all files share processes: loading the package again for each takes longer than the tests. */
const shared = (name: string, include: string[], exclude: string[] = []): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, isolate: false, include, exclude: [...configDefaults.exclude, ...exclude] },
})

const units: TestProjectInlineConfiguration[] = [
  shared('shared', ['spec/**/*.spec.ts'], [...ELSEWHERE, ...CONSUMERS, ...ALONE]),
  { extends: true, test: { name: 'alone', include: ALONE } },
]
const consumers = shared('consumers', CONSUMERS, [...ELSEWHERE, ...ALONE])

/** The suites by name: `npm run test:property` is `vitest run --config spec/vitest.config.ts --mode property`. */
const suites: Readonly<Record<string, TestUserConfig>> = {
  /** `npm test`: units and HTTP of the areas `core`, `crud` and `adapters`. */
  test: { maxWorkers: '100%', projects: units },
  /** Units and HTTP of the areas `client` and `tools`. */
  consumers: { maxWorkers: '100%', projects: [consumers] },
  /** What the embedded database adds. */
  embedded: { maxWorkers: '100%', isolate: false, include: EMBEDDED },
  /** The code blocks of the README and of docs/. */
  docs: { include: DOCS },
  /** The programs of docs/guides, typed in by a test as by a reader: see guides/package.json. */
  guides: { include: [`${GUIDES}/*.spec.ts`] },
  /** Applications that adopt resources, on the packages of existing/package.json. */
  existing: { include: [`${EXISTING}/*.spec.ts`], globalSetup: `${EXISTING}/install.ts`, maxWorkers: 2 },
  /** The programs in samples/, each in a process of its own. */
  samples: { include: SAMPLES },
  /** Checks of the source of `lib`. */
  sources: { isolate: false, include: SOURCES },
  /** The promises of types, and what an editor shows of them. */
  types: {
    include: EDITOR,
    typecheck: {
      enabled: true,
      include: ['spec/**/*.test-d.ts'],
      tsconfig: './spec/tsconfig.types.json',
      exclude: [...configDefaults.exclude, `${LIBRARIES}/**`, `${FRONT_ENDS}/**`],
    },
  },
  /** The suites above whose code runs in the processes of vitest, and `MEASURED`, with the thresholds below. */
  coverage: {
    maxWorkers: '100%',
    projects: [...units, consumers, shared('embedded', EMBEDDED), shared('docs', DOCS), shared('measured', MEASURED)],
  },
  /** Random programs and requests, compared with a model or with Express. */
  property: { include: ['spec/**/*.property.spec.ts'] },
  /** `checkApi` on an app with planted faults, and on the samples. */
  check: { include: ['spec/testing/check/**/*.spec.ts'], testTimeout: 300_000 },
  /** Child processes that are stopped, killed or started several times. */
  process: { include: ['spec/**/*.process.spec.ts'] },
  /** The sample blog over HTTP. */
  blog: { isolate: false, include: ['spec/blog/**/*.spec.ts'], exclude: ['spec/**/*.process.spec.ts'] },
  /**
   * The blog with `prism proxy --errors` in front of every documented operation, one proxy a file: see
   * openapi/tools/README.md.
   */
  prism: {
    include: ['spec/blog/**/*.spec.ts'],
    setupFiles: [`${root}spec/openapi/tools/prism-in-front.ts`],
    maxWorkers: 1,
    hookTimeout: 120_000,
  },
  /** The same specs with the fast path switched off: Express finds the routes and zod checks the replies. */
  plain: { isolate: false, include: ROUTED, env: { RESOURCERY_FAST: 'off' } },
  /** The specs that go through Express with the packages of the folder VERSIONS: see versions/run.ts. */
  versions: {
    isolate: false,
    include: [
      'versions/*',
      'flow',
      'access',
      'permission',
      'not-found',
      'send',
      'error-handler',
      'auth/auth',
      'resource/*',
      'routing/look-ahead*',
      'fast/routing.property',
      'express/!(release)',
      'serve',
      'serve/!(*.process)',
      'crud',
      'body',
    ]
      .map((name) => `spec/${name}.spec.ts`),
    ...(process.env.VERSIONS_NESTED === 'false' && { exclude: [...configDefaults.exclude, ...NEEDS_MOUNT_PATHS] }),
  },
  /** The specs of optional packages, with those of the folder VERSIONS. */
  optional: {
    include: [
      'csv',
      'csv/!(missing)',
      'crud/export',
      'crud/import',
      'sources/kysely',
      'stores/kysely',
      'stores/kysely/*',
    ]
      .map((name) => `spec/${name}.spec.ts`),
  },
  /** The data providers under the hooks of their frameworks, and against the blog: see front-ends/package.json. */
  providers: {
    include: [`${FRONT_ENDS}/**/*.spec.{ts,tsx}`],
    exclude: [...configDefaults.exclude, `${ANTD}/**`],
    typecheck: { include: [`${FRONT_ENDS}/**/*.test-d.ts`], tsconfig: `./${FRONT_ENDS}/tsconfig.json` },
  },
  /** The built admin panel in headless Chromium: see samples/admin-panel. */
  panel: { include: [`${PANEL}/spec/**/*.spec.ts`], ...BROWSER },
  /** The built application of refine with antd in headless Chromium. */
  antd: { include: [`${ANTD}/*.spec.ts`], ...BROWSER },
  /**
   * Servers, databases, disks and clients that fail: on the servers of `databases`, and on others that are started and
   * ended by the specs.
   */
  faults: { include: ['spec/faults/**/*.spec.ts'], fileParallelism: false, testTimeout: 600_000, hookTimeout: 300_000 },
  /** The servers of TEST_POSTGRES_URL and TEST_MARIADB_URL: see support/databases.ts. */
  databases: { isolate: false, include: ['spec/databases/**/*.spec.ts', `${BOOKINGS}/postgres.spec.ts`] },
  /**
   * Each source and store of a library on the real library: see libraries/package.json. They need the servers of
   * `databases`.
   */
  libraries: {
    isolate: false,
    include: [`${LIBRARIES}/**/*.spec.ts`],
    typecheck: { include: [`${LIBRARIES}/**/*.test-d.ts`], tsconfig: `./${LIBRARIES}/tsconfig.json` },
  },
}

/** The files to take of a package whose default is the build for browsers. */
const FILES: Readonly<Record<string, { readonly name: string; readonly file: string }>> = {
  'csv-parse': { name: 'csv-parse', file: 'lib/index.js' },
  'csv-stringify': { name: 'csv-stringify/sync', file: 'lib/sync.js' },
}

/** Returns the aliases of the packages that a folder of versions asks for; all others stay the project's own. */
function aliasesOf(folder: string): { readonly find: RegExp; readonly replacement: string }[] {
  const { dependencies } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as {
    readonly dependencies: object
  }
  return Object.keys(dependencies).map((one) => {
    const { name, file } = FILES[one] ?? { name: one, file: '' }
    return { find: new RegExp(`^${name}$`), replacement: `${folder}node_modules/${one}/${file}`.replace(/\/$/, '') }
  })
}

export default defineConfig(({ mode }) => ({
  root,
  resolve: {
    alias: [
      { find: /^resourcery$/, replacement: `${root}lib/entries/index.ts` },
      { find: /^resourcery\/(.+)$/, replacement: `${root}lib/entries/$1.ts` },
      ...(versions === undefined ? [] : aliasesOf(versions)),
    ],
  },
  test: {
    // A machine under load takes several times as long as an idle one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    coverage: {
      provider: 'v8',
      include: ['lib/**/*.ts'],
      // A whole run of random requests: `npm run test:check`; commands in processes of their own: `npm run test:add` and
      // `npm run test:process`.
      exclude: ['lib/tools/testing/check/**', 'lib/tools/add/**', 'lib/tools/cli/resourcery.ts'],
      // The other branches of the adapters run on the real libraries: `npm run test:libraries`.
      thresholds: { lines: 98, branches: 94.3 },
      reporter: ['text'],
    },
    ...suites[mode],
    setupFiles: [
      `${root}spec/support/random-seed.ts`,
      ...[suites[mode]?.setupFiles ?? []].flat(),
    ],
  },
}))
