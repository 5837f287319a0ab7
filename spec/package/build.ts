import { readFileSync } from 'node:fs'
import { build } from 'rolldown'

/*
 * The JavaScript of dist/, `npm run build`: a file for each entry of package.json and some shared ones, since each file
 * costs a third of a millisecond to import. The declarations beside them are the compiler's.
 */

interface Package {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly bin: Readonly<Record<string, string>>
}

const { exports, bin } = JSON.parse(readFileSync('package.json', 'utf8')) as Package
const entries = [
  ...Object.values(exports).flatMap((entry) => typeof entry === 'string' ? [] : entry.default),
  ...Object.values(bin),
]
const names = entries.map((entry) => entry.replace(/^\.\/dist\/(.+)\.js$/, '$1'))

/** Code for browsers shares no file with code that needs Node.js. */
const browserNames: readonly string[] = ['entries/client', 'entries/react-admin', 'entries/refine']

await build({
  ...inputOf(names.filter((name) => !browserNames.includes(name))),
  platform: 'node',
  external: /^[^./]/,
  transform: { target: 'node20.19' },
  // Classes of the same name are renamed within one file; the `name` of an error must stay that in lib/.
  output: { dir: 'dist', chunkFileNames: 'shared/[name]-[hash].js', keepNames: true },
})

for (const name of browserNames) {
  await build({
    ...inputOf([name]),
    platform: 'browser',
    external: /^[^./]/,
    transform: { target: 'es2022' },
    output: { dir: 'dist', chunkFileNames: `${name}/[name].js` },
  })
}

function inputOf(entries: readonly string[]): { input: Record<string, string> } {
  return { input: Object.fromEntries(entries.map((name) => [name, `./lib/${name}.ts`])) }
}
