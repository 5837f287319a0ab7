import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { outputOf, pathOf } from './processes.js'
import { SETS } from './workloads.js'

const folder = pathOf('servers/peers/tsoa')
const generated = `${folder}/generated`

/**
 * Lets tsoa generate its routes, for each number of resources: it reads sources, so that each resource needs its own.
 */
export async function generateTsoa(): Promise<void> {
  rmSync(generated, { recursive: true, force: true })
  mkdirSync(generated)
  for (const resources of new Set(SETS.basic.map((workload) => workload.resources))) {
    const things = `things-${resources}.ts`
    writeFileSync(`${generated}/${things}`, sourceOf(resources))
    const configuration = `${generated}/tsoa-${resources}.json`
    writeFileSync(
      configuration,
      JSON.stringify({
        entryFile: `${folder}/server.ts`,
        noImplicitAdditionalProperties: 'silently-remove-extras',
        controllerPathGlobs: [`${folder}/posts.ts`, `${generated}/${things}`],
        spec: { outputDirectory: generated, specVersion: 3 },
        routes: {
          routesDir: generated,
          routesFileName: `routes-${resources}.ts`,
          middleware: 'express',
          authenticationModule: `${folder}/authentication.ts`,
          esm: true,
        },
        // tsoa passes these options on unread, so they need the compiler's numbers: nodenext, nodenext, es2022.
        compilerOptions: {
          module: 199,
          moduleResolution: 99,
          target: 9,
          strict: true,
          experimentalDecorators: true,
          skipLibCheck: true,
        },
      }),
    )
    await outputOf(process.execPath, [pathOf('node_modules/tsoa/dist/cli.js'), 'routes', '-c', configuration], {
      cwd: folder,
    })
  }
}

function sourceOf(resources: number): string {
  const controllers = Array.from({ length: resources }, (_, at) => `
@Route('things${at}')
export class Things${at}Controller extends Controller {
  @Get()
  async list(): Promise<Envelope<Thing[]>> {
    return { code: 200, message: 'ok', data: allThings(), meta: {} }
  }

  /** @isInt id must be integer */
  @Get('{id}')
  async show(@Path() id: number): Promise<Envelope<Thing>> {
    return { code: 200, message: 'ok', data: found(findThing(id)), meta: {} }
  }

  @Post()
  @SuccessResponse(201)
  async create(@Body() thing: NewThing): Promise<Envelope<Thing>> {
    this.setStatus(201)
    return { code: 201, message: 'ok', data: addThing(thing.name), meta: {} }
  }
}
`)
  return `import { Body, Controller, Get, Path, Post, Route, SuccessResponse } from '@tsoa/runtime'
import { addThing, allThings, findThing, type Thing } from '../../../data.js'
import { found, type Envelope } from '../posts.js'

export interface NewThing {
  /** @minLength 1 must NOT have fewer than 1 characters */
  name: string
}
${controllers.join('')}`
}
