import { build as esbuild } from 'esbuild'
import nodeResolve from '@rollup/plugin-node-resolve'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { rollup } from 'rollup'
import webpack from 'webpack'

/*
 * Bundles programs of a browser on the entries for front ends, and checks what the bundles are made of: files of these
 * entries, which contain no line of the server, and no other package.
 */

const ENTRIES = {
  'client': "import { createClient } from 'resourcery/client'\nglobalThis.made = createClient({ url: '', routes: [] })",
  'react-admin':
    "import { authProvider, dataProvider } from 'resourcery/react-admin'\nglobalThis.made = [dataProvider('/api'), authProvider('/api', { login: '/login' })]",
  'refine':
    "import { authProvider, dataProvider } from 'resourcery/refine'\nglobalThis.made = [dataProvider('/api'), authProvider('/api', { login: '/login' })]",
}

/** The bundlers by name; each returns the files that its bundle is made of. */
const BUNDLERS = {
  async esbuild(entry, folder) {
    const { metafile, warnings } = await esbuild({
      entryPoints: [entry],
      outdir: folder,
      bundle: true,
      splitting: true,
      platform: 'browser',
      format: 'esm',
      minify: true,
      metafile: true,
      logLevel: 'silent',
    })
    if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('\n'))
    return Object.keys(metafile.inputs)
  },
  async rollup(entry) {
    const bundle = await rollup({
      input: entry,
      plugins: [nodeResolve({ browser: true })],
      onLog: (_level, log) => {
        throw new Error(log.message)
      },
    })
    const { output } = await bundle.generate({ format: 'es' })
    await bundle.close()
    return output.flatMap(({ modules, imports, fileName }) => [
      ...Object.keys(modules),
      ...imports.filter((name) => !output.some((chunk) => chunk.fileName === name)).map((name) =>
        `${name} of ${fileName}`
      ),
    ])
  },
  async webpack(entry, folder) {
    const stats = await new Promise((done, fail) => {
      webpack(
        { entry, mode: 'production', target: 'web', output: { path: folder }, devtool: false },
        (error, result) => error ? fail(error) : done(result),
      )
    })
    if (stats.hasErrors() || stats.hasWarnings())
      throw new Error(stats.toString({ all: false, errors: true, warnings: true }))
    // Modules that webpack has joined are listed inside of one; its own have no file.
    const files = (modules) =>
      modules.flatMap((module) => module.modules ? files(module.modules) : module.resource ?? [])
    return files([...stats.compilation.modules])
  },
}

/** Checks the bundles of all entries in a folder where the package is installed. @throws where one holds more. */
export async function checkFrontEnds(folder) {
  const allowed = join(folder, 'node_modules', 'resourcery', 'dist', 'entries') + sep
  for (const [entry, source] of Object.entries(ENTRIES)) {
    const program = join(folder, `front-end-${entry}.mjs`)
    writeFileSync(program, source)
    for (const [name, bundle] of Object.entries(BUNDLERS)) {
      const out = mkdtempSync(join(folder, 'bundle-'))
      const files = (await bundle(program, out)).map((file) => resolve(folder, file)).filter((file) => file !== program)
      rmSync(out, { recursive: true })
      if (files.length === 0) throw new Error(`${name}: ${entry} has no files`)
      for (const file of files) {
        if (!file.startsWith(allowed)) throw new Error(`${name}: ${entry} contains ${file}`)
        // Each file of `dist` names the files of `lib` that it was made of.
        const regions = readFileSync(file, 'utf8').match(/^\/\/ (?:#region )?(?:lib|node_modules)\/\S+/gm) ?? []
        const foreign = regions.filter((region) => !/ lib\/(?:client|entries)\//.test(region))
        if (regions.length === 0 || foreign.length > 0)
          throw new Error(`${name}: ${file} contains ${foreign.join(', ')}`)
      }
    }
    console.log(`ok      ${entry} in a browser: ${Object.keys(BUNDLERS).join(', ')}`)
  }
}
