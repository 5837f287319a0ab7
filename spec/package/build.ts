import { readFileSync } from 'node:fs'
import { build } from 'rolldown'

/*
 * The JavaScript of dist/, `npm run build`: a file for each door of package.json and some for what several doors share, for each file
 * costs whoever imports the package a third of a millisecond. The declarations beside them are the compiler's.
 */

interface Package {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly bin: Readonly<Record<string, string>>
}

const { exports, bin } = JSON.parse(readFileSync('package.json', 'utf8')) as Package
const doors = [...Object.values(exports).flatMap((door) => typeof door === 'string' ? [] : door.default), ...Object.values(bin)]
const names = doors.map((door) => door.replace(/^\.\/dist\/(.+)\.js$/, '$1'))

/** What runs in a browser shares no file with the rest, which needs Node.js. */
const browserNames: readonly string[] = ['client', 'react-admin', 'refine']

await build({
  ...inputOf(names.filter((name) => !browserNames.includes(name))),
  platform: 'node',
  external: /^[^./]/,
  transform: { target: 'node20.19' },
  // Two of one name get different ones in one file; `name` of an error says what it was called in lib/.
  output: { dir: 'dist', chunkFileNames: 'shared/[name]-[hash].js', keepNames: true },
})

for (const name of browserNames) {
  await build({
    ...inputOf([name]), platform: 'browser', external: /^[^./]/, transform: { target: 'es2022' },
    output: { dir: 'dist', chunkFileNames: `${name}/[name].js` },
  })
}

function inputOf(entries: readonly string[]): { input: Record<string, string> } {
  return { input: Object.fromEntries(entries.map((name) => [name, `./lib/${name}.ts`])) }
}
