import { build as esbuild } from 'esbuild'
import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import nodeResolve from '@rollup/plugin-node-resolve'
import ncc from '@vercel/ncc'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rollup } from 'rollup'
import { build as vite } from 'vite'
import webpack from 'webpack'

/*
 * The bundlers by name. Each gets the program and a folder of its own, bundles the program with all that it imports, and
 * returns the file to run.
 */

/** Lets an ES module contain CommonJS packages that call `require`, such as Express. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

const bundledByEsbuild = (format, minify) => async (entry, folder) => {
  const outfile = join(folder, format === 'esm' ? 'out.mjs' : 'out.cjs')
  const banner = format === 'esm' ? { js: REQUIRE } : {}
  await esbuild({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
    minify,
    banner,
    treeShaking: true,
    logLevel: 'error',
  })
  return outfile
}

const bundledByRollup = (treeshake) => async (entry, folder) => {
  const bundle = await rollup({
    input: entry,
    treeshake,
    onLog: () => undefined,
    plugins: [nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }),
      commonjs({ ignoreDynamicRequires: true }), json()],
  })
  await bundle.write({ dir: folder, format: 'es', entryFileNames: 'out.mjs', chunkFileNames: '[name]-[hash].mjs' })
  await bundle.close()
  return join(folder, 'out.mjs')
}

async function bundledByWebpack(entry, folder) {
  const stats = await new Promise((resolve, reject) => {
    webpack({
      entry,
      mode: 'production',
      target: 'node20',
      output: { path: folder, filename: 'out.cjs' },
      devtool: false,
    }, (error, result) => error === null || error === undefined ? resolve(result) : reject(error))
  })
  if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }))
  return join(folder, 'out.cjs')
}

async function bundledByNcc(entry, folder) {
  const { code, assets } = await ncc(entry, { quiet: true, cache: false })
  for (const [name, { source }] of Object.entries(assets)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), source)
  }
  const file = join(folder, 'index.mjs')
  writeFileSync(file, code)
  return file
}

async function bundledByVite(entry, folder) {
  await vite({
    root: dirname(entry),
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: { ssr: entry, outDir: folder, emptyOutDir: false,
      rolldownOptions: { output: { entryFileNames: 'out.mjs' } } },
  })
  return join(folder, 'out.mjs')
}

export const bundlers = {
  'esbuild, ES module': bundledByEsbuild('esm', false),
  'esbuild, CommonJS, minified': bundledByEsbuild('cjs', true),
  'rollup': bundledByRollup('recommended'),
  'rollup, treeshake: fewer side effects': bundledByRollup({ preset: 'recommended', propertyReadSideEffects: false,
    tryCatchDeoptimization: false, unknownGlobalSideEffects: false }),
  'webpack': bundledByWebpack,
  'ncc': bundledByNcc,
  'vite, ssr.noExternal': bundledByVite,
}
