import { randomBytes } from 'node:crypto'

/** The versions that the suite of this package installs; patches and minor versions may be newer. */
const VERSIONS = {
  '@electric-sql/pglite': '^0.5.16',
  '@eslint/js': '^10.0.1',
  '@prisma/adapter-pg': '^7.10.0',
  '@prisma/client': '^7.10.0',
  '@types/express': '^5.0.6',
  '@types/node': '^22.0.0',
  '@types/pg': '^8.23.1',
  'drizzle-orm': '^0.45.4',
  eslint: '^10.15.0',
  express: '^5.3.0',
  globals: '^16.0.0',
  kysely: '^0.28.18',
  pg: '^8.23.1',
  prisma: '^7.10.0',
  resourcery: '^0.1.0',
  'swagger-ui-dist': '^5.35.0',
  tsx: '^4.23.15',
  typescript: '~6.0.3',
  'typescript-eslint': '^8.73.0',
  vitest: '^4.1.11',
  zod: '^4.6.7',
}

/** Writes what surrounds the program: packages, compiler, lint, environment, Docker. */
export function toolFiles(context) {
  const { isTs, auth, docker } = context
  return {
    'package.json': `${JSON.stringify(manifest(context), null, 2)}\n`,
    ...(isTs && { 'tsconfig.json': tsconfig(context) }),
    'eslint.config.js': isTs ? eslintTs : eslintJs,
    '.gitignore': 'node_modules\ndist\ndata\nsrc/generated\n.env\n',
    '.env.example': environment(context, auth ? 'AUTH_SECRET= # openssl rand -base64 48\n' : ''),
    '.env': environment(context, auth ? `AUTH_SECRET=${randomBytes(36).toString('base64')}\n` : ''),
    ...(docker && { Dockerfile: dockerfile(context), '.dockerignore': 'node_modules\ndist\ndata\n.env\n.git\n' }),
  }
}

function manifest(context) {
  const { name, resourcery } = context
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: scriptsOf(context),
    dependencies: versionsOf(dependenciesOf(context), resourcery),
    devDependencies: versionsOf(devDependenciesOf(context)),
    engines: { node: '>=20.19' },
  }
}

function scriptsOf({ isTs, tests, database, hasDatabase, library, ext }) {
  // The compiled program reads migrations beside its modules.
  const copied = hasDatabase
    ? ` && node -e "require('node:fs').cpSync('migrations', 'dist/migrations', { recursive: true })"`
    : ''
  const run = isTs ? 'tsx' : 'node'
  const first = library === 'prisma' ? 'npm run generate && ' : ''
  const nodeTest = isTs ? 'tsx --test test/*.test.ts' : 'node --test test/*.test.js'
  return {
    ...(library === 'prisma' && { generate: 'prisma generate' }),
    dev: `${run} ${isTs ? 'watch' : '--watch'} src/server.${ext}`,
    ...(isTs && { build: `${first}tsc -p tsconfig.json --noEmit false --outDir dist${copied}` }),
    start: isTs ? 'node dist/src/server.js' : 'node src/server.js',
    ...(database === 'postgres' && { migrate: `${run} src/run-migrations.${ext}` }),
    test: tests === 'vitest' ? 'vitest run' : nodeTest,
    lint: isTs ? 'tsc && eslint .' : 'eslint .',
    doctor: isTs
      ? `node --import tsx node_modules/resourcery/dist/tools/cli/resourcery.js doctor src/app.ts`
      : 'resourcery doctor src/app.js',
  }
}

function dependenciesOf({ hasDatabase, database, library, docs }) {
  const libraries = { kysely: ['kysely'], drizzle: ['drizzle-orm'], prisma: ['@prisma/client', '@prisma/adapter-pg'] }
  return [
    'resourcery',
    'express',
    'zod',
    ...(hasDatabase ? ['pg', ...libraries[library]] : []),
    ...(database === 'pglite' ? ['@electric-sql/pglite'] : []),
    ...(docs ? ['swagger-ui-dist'] : []),
  ]
}

function devDependenciesOf({ isTs, hasDatabase, database, library, tests }) {
  return [
    'eslint',
    '@eslint/js',
    ...(isTs ? ['typescript', 'typescript-eslint', 'tsx', '@types/node', '@types/express'] : ['globals']),
    ...(isTs && hasDatabase ? ['@types/pg'] : []),
    ...(database === 'postgres' ? ['@electric-sql/pglite'] : []),
    ...(library === 'prisma' ? ['prisma'] : []),
    ...(tests === 'vitest' ? ['vitest'] : []),
  ]
}

function versionsOf(names, resourcery = VERSIONS.resourcery) {
  return Object.fromEntries(
    names.toSorted().map((name) => [name, name === 'resourcery' ? resourcery : VERSIONS[name]]),
  )
}

const tsconfig = ({ library }) =>
  `${
    JSON.stringify(
      {
        compilerOptions: {
          module: 'nodenext',
          target: 'es2023',
          strict: true,
          noUncheckedIndexedAccess: true,
          noImplicitOverride: true,
          skipLibCheck: true,
          noEmit: true,
          rootDir: '.',
          types: ['node'],
        },
        include: ['src', 'test', ...(library === 'prisma' ? ['prisma.config.ts'] : [])],
      },
      null,
      2,
    )
  }\n`

const eslintTs = `import js from '@eslint/js'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['dist', 'src/generated'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  { rules: { '@typescript-eslint/no-unused-vars': ['error', { args: 'after-used' }] } },
)
`

const eslintJs = `import js from '@eslint/js'
import globals from 'globals'

export default [
  { ignores: ['dist'] },
  js.configs.recommended,
  { languageOptions: { globals: globals.node } },
]
`

const environment = ({ database }, secret) =>
  `${secret}PORT=3000
${database === 'pglite' ? 'DATA_FOLDER=data\n' : ''}\
${database === 'memory' ? '' : '# DATABASE_URL=postgres://localhost/notes\n'}`

const dockerfile = ({ isTs, hasDatabase, library, database }) =>
  `FROM node:24-slim AS build
WORKDIR /app
COPY package*.json ./
RUN npm install
COPY . .
${isTs ? 'RUN npm run build\n' : library === 'prisma' ? 'RUN npm run generate\n' : ''}RUN npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/package.json ./
${isTs ? 'COPY --from=build /app/dist ./dist\n' : 'COPY --from=build /app/src ./src\n'}\
${hasDatabase && !isTs ? 'COPY --from=build /app/migrations ./migrations\n' : ''}\
${database === 'pglite' ? 'RUN mkdir data && chown node data\nENV DATA_FOLDER=/app/data\nVOLUME /app/data\n' : ''}\
USER node
EXPOSE 3000
CMD ["node", "${isTs ? 'dist/src/server.js' : 'src/server.js'}"]
`
