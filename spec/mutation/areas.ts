/** Names files of lib and the specs that have to notice a change in them. */
export interface Area {
  readonly files: readonly string[]
  readonly specs: readonly string[]
  /** True for code that the fast path does without. @default false */
  readonly plain?: boolean
}

/** Lists the areas of `npm run test:mutation -- <area>`. */
export const AREAS: Readonly<Record<string, Area>> = {
  'access': {
    files: ['lib/core/auth/access.ts', 'lib/core/auth/signed-in.ts', 'lib/core/auth/auth-of.ts'],
    specs: ['access', 'permission', 'auth/!(callers)', 'public-routes', 'resource/*', 'testing/inject',
      'testing/access-matrix', 'crud/field-rules', 'flow', 'mcp'],
  },
  'permission': {
    files: ['lib/core/auth/permission.ts'],
    specs: ['permission', 'access', 'auth/!(callers)', 'sources/*', 'resource/without-app', 'resource/listing',
      'cli/doctor'],
  },
  'look-ahead': {
    files: ['lib/core/routing/look-ahead.ts'],
    specs: ['routing/look-ahead', 'routing/forecast', 'routing/walk', 'routing/registry', 'public-routes', 'access',
      'auth/auth', 'permission', 'not-found', 'resource/*', 'testing/access-matrix'],
    plain: true,
  },
  'pipeline': {
    files: ['lib/core/resource/pipeline.ts'],
    specs: ['flow', 'access', 'errors', 'send', 'resource/*', 'validate/*', 'upload/upload', 'upload/resource-files',
      'upload/nothing-left', 'crud', 'mcp', 'testing/access-matrix'],
  },
  'scope': {
    files: ['lib/crud/core/scope.ts'],
    specs: ['crud/scope', 'crud/scope-triggers', 'crud/cursors', 'crud/tree-scope', 'crud/parent', 'crud/statements',
      'crud/references', 'crud/bulk', 'crud/members', 'crud/idempotency/idempotency', 'crud'],
  },
  'parent': {
    files: ['lib/crud/features/parent/*.ts'],
    specs: ['crud/parent', 'crud/nested-embedded', 'crud/scope', 'crud/option-forms'],
  },
  'references': {
    files: ['lib/crud/features/references/*.ts'],
    specs: ['crud/references', 'crud/references-start', 'crud/references-embedded', 'crud/option-forms'],
  },
  'conditions': {
    files: ['lib/adapters/sql/conditions.ts'],
    specs: ['stores/kysely', 'stores/kysely/*', 'stores/sql/*', 'stores/options', 'stores/decimals', 'crud/scope'],
  },
  'auth': {
    files: ['lib/core/auth/{auth,caller-loader,challenge,load,route-of,scheme,strategy}.ts'],
    specs: ['auth/auth', 'auth/bare-token', 'auth/load', 'auth/renewal', 'auth/scheme', 'auth/strategies', 'access',
      'route-of', 'resource/listing', 'resource/without-app'],
  },
  'auth-tokens': {
    files: ['lib/core/auth/{jwks,secret,token,verify-token}.ts'],
    specs: ['auth/bare-token', 'auth/issue-token', 'auth/jwks-strategy', 'auth/load', 'auth/renewal',
      'auth/secret-strategy', 'auth/verified-tokens'],
  },
  'validate': {
    files: ['lib/core/validate/*.ts'],
    specs: ['validate/*', 'param', 'bigint', 'request-param/*', 'resource/*', 'flow', 'body', 'crud'],
  },
  'upload': {
    files: ['lib/core/upload/*.ts'],
    specs: ['upload/!(spool|temporary-file)', 'flow'],
  },
  'fast': {
    files: ['lib/core/fast/*.ts'],
    specs: ['fast/*', 'express/*', 'flow', 'serve', 'send', 'resource/*', 'routing/*', 'crud'],
  },
  'crud-core': {
    files: ['lib/crud/*.ts', 'lib/crud/core/!(scope).ts'],
    specs: ['crud', 'crud/!(*.property|*.process|*embedded|*-races|statements|violations|export|import)', 'dux'],
  },
  'crud-features': {
    files: ['lib/crud/features/!(parent|references)/**/*.ts'],
    specs: ['crud/!(*.property|*.process|*embedded|*-races|statements|violations)', 'crud/if-match/if-match',
      'crud/idempotency/{idempotency,identity}', 'dux'],
  },
}
