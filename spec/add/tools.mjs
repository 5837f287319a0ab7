/** Returns what surrounds the program of a project: packages, compiler, lint, tests. */
export function toolsOf({ tests, isCommonJs = false }, isTs) {
  const manifest = { private: true, ...(!isCommonJs && { type: 'module' }),
    devDependencies: tests === 'vitest' ? { vitest: '*' } : {} }
  const options = { module: 'nodenext', target: 'es2023', strict: true, noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true, noUnusedLocals: true, noUnusedParameters: true, verbatimModuleSyntax: true,
    skipLibCheck: true, noEmit: true, types: ['node'] }
  return {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    ...(isTs
      && { 'tsconfig.json': `${JSON.stringify({ compilerOptions: options, include: ['src', 'test'] }, null, 2)}\n` }),
    'eslint.config.mjs': isTs ? LINT_TS : lintJs(isCommonJs, tests),
    'vitest.config.mjs': `export default { test: { include: ['test/**/*.test.*'], testTimeout: 30_000, root: '.' } }\n`,
    'prisma.config.ts': `import { defineConfig } from 'prisma/config'

export default defineConfig({ schema: 'prisma/schema.prisma', datasource: { url: process.env.DATABASE_URL ?? '' } })
`,
    'test/.gitkeep': '',
  }
}

const LINT_TS = `import js from '@eslint/js'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['src/generated', '*.mjs', '*.config.ts'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  // The line for lost connections in the documentation of the stores is such an arrow function.
  { rules: { '@typescript-eslint/no-confusing-void-expression': 'off' } },
)
`

const lintJs = (isCommonJs, tests) =>
  `import js from '@eslint/js'
import globals from 'globals'

export default [{ ignores: ['src/generated'] }, js.configs.recommended, { files: ['**/*.js'], languageOptions: { globals: globals.node, sourceType: '${
    isCommonJs ? 'commonjs' : 'module'
  }' } }, { files: ['test/**'], languageOptions: { sourceType: '${
    isCommonJs && tests !== 'vitest' ? 'commonjs' : 'module'
  }' } }]
`
