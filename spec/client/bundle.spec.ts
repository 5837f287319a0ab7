import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import ts from 'typescript'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

it('is smaller than 4.5 kB minified and has no imports', async () => {
  const { output } = await build({
    input: `${root}lib/entries/client.ts`,
    write: false,
    platform: 'browser',
    output: { minify: true },
  })
  const [entry, ...onDemand] = output.flatMap((chunk) => (chunk.type === 'chunk' ? [chunk] : []))
  expect(entry?.imports).toEqual([])
  expect(entry?.code).not.toMatch(/node:|\brequire\b|\bprocess\b|\bBuffer\b/)
  expect(Buffer.byteLength(entry?.code ?? '')).toBeLessThan(4500)
  expect(onDemand.map(({ name }) => name)).toEqual(['upload'])
})

it('compiles with the types of a browser and without those of Node.js', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(root, '.client-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'page.ts')
  writeFileSync(file, `
    import { createClient, type Result } from '../lib/entries/client.js'
    import type { Mounted, MountedAction } from '../lib/core/resource/mounted.js'
    type Api = { users: Mounted<'users', { show: MountedAction<'/users/:id'> }> }
    const api = createClient<Api>({ url: '', routes: [] })
    export const reply: Promise<Result<unknown>> = api.users.show({ id: 1 }, { onUploadProgress: ({ loaded }) => console.log(loaded) })
  `)
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    exactOptionalPropertyTypes: true,
  })
  expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')))
    .toEqual([])
  const ours = program.getSourceFiles().map(({ fileName }) => fileName).filter((name) => name.includes('/@types/'))
  expect(ours).toEqual([])
})
