import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type OutputChunk, type OutputOptions, type Plugin } from 'rolldown'
import { writeDeclarations } from './declarations.js'
import { browserEntries, serverEntries } from './entries.js'
import { isBundled, licencesOf } from './licences.js'

/*
 * The JavaScript of dist/, `npm run build`: a file for each entry of package.json and some shared ones, since each file
 * costs a third of a millisecond to import.
 *
 * The implementation is CommonJS, which every program can load: `x.cjs`. An ES module beside it exports its names, so
 * that `import` and `require` reach one instance. Entries for browsers are ES modules, with a copy as CommonJS.
 */

const COMMAND = 'tools/cli/run'
const target = 'node20.19'
/** Matches `import()` of an optional package. */
const OPTIONAL = /await Promise\.resolve\(\)\.then\([^;\n]*(require\("(?:csv-[^"]+|fast-check)"\))[^;\n]*\);/g
const isExternal = (id: string): boolean => /^[^./\0]/.test(id) && !isBundled(id) && id !== 'debug'
/** `import()` becomes `require`, which every loader of CommonJS has. An error keeps the name of its class in lib/. */
const commonJs: OutputOptions = {
  dir: 'dist',
  format: 'cjs',
  esModule: false,
  exports: 'named',
  dynamicImportInCjs: false,
  keepNames: true,
  entryFileNames: '[name].cjs',
}

/** A part of file-type for ZIP files logs by the package debug, which would be bundled or installed for that alone. */
const silentDebug: Plugin = {
  name: 'debug',
  resolveId: (id) => id === 'debug' ? '\0debug' : null,
  load: (id) => id === '\0debug' ? 'export default () => () => undefined' : null,
}

const { output } = await build({
  input: inputOf([...serverEntries, COMMAND]),
  platform: 'node',
  external: isExternal,
  transform: { target },
  plugins: [silentDebug, {
    name: 'requires',
    renderChunk: (code, { fileName }) => withOptional(withSharedZod(code, fileName)),
  }],
  output: { ...commonJs, chunkFileNames: 'shared/[name]-[hash].cjs' },
})
const chunks = output.filter((file) => file.type === 'chunk')
for (const chunk of chunks) if (serverEntries.includes(chunk.name)) writeWrapper(chunk)
writeZod()
write('licences-of-bundled-packages.txt', licencesOf(chunks.flatMap(({ moduleIds }) => moduleIds)))

await build({
  input: inputOf(['tools/cli/resourcery']),
  platform: 'node',
  external: (id) => /^[^.]/.test(id) || id === './run.js',
  transform: { target },
  plugins: [{ name: 'command', renderChunk: (code) => code.replace(/(["'])[^"']*\/run\.js\1/, "'./run.cjs'") }],
  output: { dir: 'dist' },
})

for (const name of browserEntries) {
  const options = {
    input: inputOf([name]),
    platform: 'browser',
    external: isExternal,
    transform: { target: 'es2022' },
  } as const
  await build({ ...options, output: { dir: 'dist', chunkFileNames: `${name}/[name].js` } })
  await build({ ...options, output: { ...commonJs, chunkFileNames: `${name}/[name].cjs` } })
}

writeDeclarations([...serverEntries, ...browserEntries])

function inputOf(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(entries.map((name) => [name, `./lib/${name}.ts`]))
}

/** Writes the ES module of an entry. It names each export, since not every loader finds the names of CommonJS. */
function writeWrapper({ name, exports }: OutputChunk): void {
  const zod = relative(dirname(name), 'shared/zod.js')
  write(`${name}.js`,
    `import '${zod}'\nexport { ${exports.join(', ')} } from './${name.split('/').at(-1) ?? ''}.cjs'\n`)
}

/**
 * Makes the implementation use the zod of the program. zod has an instance for `import` and one for `require`, up to 4.1
 * with a configuration and a registry each, and loading the second one takes as long as Express.
 */
function withSharedZod(code: string, fileName: string): string {
  const holder = relative(dirname(fileName), 'shared/zod.cjs')
  return code.replaceAll('require("zod")', `require("${holder.startsWith('.') ? holder : `./${holder}`}").get()`)
}

/** Lets bundlers see that a package may be missing: they look for a `require` directly inside of a `try`. */
function withOptional(code: string): string {
  return code.replaceAll(OPTIONAL, '$1;')
}

function writeZod(): void {
  write('shared/zod.cjs', `'use strict'
// The zod of a program: that of the ES module that loads the package first, otherwise that of \`require\`.
let zod
exports.use = (imported) => {
  zod ??= imported
}
exports.get = () => (zod ??= require('zod'))
`)
  write('shared/zod.js', `import * as zod from 'zod'\nimport holder from './zod.cjs'\n\nholder.use(zod)\n`)
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join('dist', file)), { recursive: true })
  writeFileSync(join('dist', file), text)
}
