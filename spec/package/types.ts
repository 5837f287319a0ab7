/*
 * The forms in which TypeScript finds the package: its version, `module` and `moduleResolution`, the kind of the
 * importing module, and the settings under which declarations differ.
 */

/** Each version as a package of its own name. */
export const TYPESCRIPT = { '5.9': 'npm:typescript@5.9.3', '6.0': 'npm:typescript@6.0.3',
  '7.0': 'npm:typescript@7.0.2' }

type Version = keyof typeof TYPESCRIPT

export interface Form {
  readonly version: Version
  readonly name: string
  /** The `type` of the package.json beside the sources. */
  readonly type: 'module' | 'commonjs'
  readonly options: Readonly<Record<string, unknown>>
}

type Named = Omit<Form, 'version'>

const node10 = { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true }
/** The declarations of zod themselves need `esModuleInterop`. */
const noInterop = { esModuleInterop: false, skipLibCheck: true }
const ignoreDeprecations = '6.0'
const COMMON: readonly Named[] = [
  { name: 'node16, CommonJS', type: 'commonjs', options: { module: 'node16' } },
  { name: 'node16, ES module', type: 'module', options: { module: 'node16' } },
  { name: 'nodenext, CommonJS', type: 'commonjs', options: { module: 'nodenext' } },
  { name: 'nodenext, ES module', type: 'module', options: { module: 'nodenext' } },
  { name: 'bundler', type: 'module', options: { module: 'esnext', moduleResolution: 'bundler' } },
  { name: 'strict off', type: 'commonjs', options: { module: 'nodenext', strict: false } },
  { name: 'exactOptionalPropertyTypes', type: 'module',
    options: { module: 'nodenext', exactOptionalPropertyTypes: true } },
]

/** TypeScript 7 has removed `node10`, and `esModuleInterop` is always on there. */
const FORMS: Readonly<Record<Version, readonly Named[]>> = {
  '5.9': [
    { name: 'node10', type: 'commonjs', options: node10 },
    { name: 'node10, esModuleInterop off', type: 'commonjs', options: { ...node10, ...noInterop } },
    ...COMMON,
  ],
  '6.0': [
    { name: 'node10', type: 'commonjs', options: { ...node10, ignoreDeprecations } },
    { name: 'node10, esModuleInterop off', type: 'commonjs', options: { ...node10, ...noInterop, ignoreDeprecations } },
    ...COMMON,
  ],
  '7.0': COMMON,
}

/** Returns all forms, or those that differ most: the oldest version for CommonJS, the newest and quickest for all. */
export function formsOf(all: boolean): Form[] {
  const forms = (['5.9', '6.0', '7.0'] as const).flatMap((version) =>
    FORMS[version].map((form) => ({ version, ...form }))
  )
  return all
    ? forms
    : forms.filter(({ version, name }) =>
      version === '7.0' || (version === '5.9' && /^node1[06]/.test(name) && name !== 'node16, ES module')
    )
}
