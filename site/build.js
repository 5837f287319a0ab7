/* Builds the site: the pages of docs/, the API reference of the docstrings, and a search over all of them. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Application, TypeDocReader } from 'typedoc'
import { load } from 'typedoc-plugin-markdown'
import { build } from 'vitepress'
import { copyPages } from './pages.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const pages = join(here, '.pages')

copyPages(pages)
process.chdir(here) // TypeDoc looks for its plugin here

const app = await Application.bootstrapWithPlugins({ options: here, plugin: [load] }, [new TypeDocReader()])
const project = await app.convert()
if (project === undefined) throw new Error('The API reference was not made: see the messages above.')
for (const module of project.children ?? []) {
  module.name = module.name === 'index' ? 'resourcery' : `resourcery/${module.name}`
}
await app.outputs.writeOutput({ name: 'markdown', path: join(pages, 'api') }, project)
if (app.logger.hasErrors()) throw new Error('The API reference has errors: see the messages above.')

await build(here)
