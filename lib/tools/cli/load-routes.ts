import { existsSync } from 'node:fs'
import { Server } from 'node:net'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Application } from 'express'
import { hasProperties, isApp, propertyOf } from '../../core/index.js'

/** The names of the exports that may be an app, a router or a function that makes one. */
const NAMES = ['default', 'app', 'router', 'makeApp', 'createApp', 'buildApp', 'makeRouter', 'createRouter'] as const

/** Imports the module at a URL; it is given by the ES module of the command, since CommonJS has `require` alone. */
export type ImportModule = (url: string) => Promise<unknown>

/**
 * Returns the Express app or Router that a module exports, or that an exported function makes.
 *
 * @throws CliError with a message for the user of the command.
 */
export async function loadRoutes(module: string, importModule: ImportModule, name?: string): Promise<Application> {
  const exported = await exportsOf(module, importModule)
  const found = name ?? NAMES.find((candidate) => typeof exported[candidate] === 'function')
  if (found === undefined) {
    const server = Object.keys(exported).find((candidate) => exported[candidate] instanceof Server)
    const instead = server === undefined ? `It exports ${listOf(exported)}.` : `\`${server}\` is a server.`
    throw new CliError(
      `${module} exports no app. Export it as default, or name the export with --export. ${instead}`,
    )
  }
  const value = exported[found]
  if (value === undefined) throw new CliError(`${module} exports no \`${found}\`. It exports ${listOf(exported)}.`)
  if (isRoutes(value)) return value
  if (typeof value !== 'function')
    throw new CliError(
      `\`${found}\` of ${module} is neither an Express app, nor a Router, nor a function that makes one. `
        + 'Name another export with --export.',
    )
  return callModule(module, found, () => Reflect.apply(value, undefined, []))
}

async function exportsOf(module: string, importModule: ImportModule): Promise<Readonly<Record<string, unknown>>> {
  try {
    return namesOf(await importModule(pathToFileURL(resolve(module)).href))
  } catch (error) {
    throw new CliError(`${module} cannot be loaded: ${wordsOf(error)}${hintFor(module, error)}`, { cause: error })
  }
}

/**
 * Returns the exports by name. Those of CommonJS are one object, the default of its module; Node.js finds some of its
 * names and not others, and a compiled `export default` is a name in it.
 */
function namesOf(module: unknown): Readonly<Record<string, unknown>> {
  if (!hasProperties(module)) return {}
  const { default: exported, ...others } = module
  const isModule = typeof exported === 'object' && exported !== null && !(exported instanceof Server)
  return isModule ? { ...others, ...exported } : { ...module }
}

async function callModule(module: string, name: string, make: () => unknown): Promise<Application> {
  let value: unknown
  try {
    value = await make()
  } catch (error) {
    throw new CliError(`\`${name}\` of ${module} failed: ${wordsOf(error)}. It is called without arguments.`, {
      cause: error,
    })
  }
  if (isRoutes(value)) return value
  throw new CliError(`\`${name}\` of ${module} returned neither an Express app nor a Router.`)
}

/** True for an app, and for a Router, whose routes are read as those of an app. */
function isRoutes(value: unknown): value is Application {
  return isApp(value) || (typeof value === 'function' && 'stack' in value && Array.isArray(value.stack))
}

function listOf(exported: object): string {
  const names = Object.keys(exported)
  return names.length === 0 ? 'nothing' : names.map((name) => `\`${name}\``).join(', ')
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function hintFor(module: string, error: unknown): string {
  const code = propertyOf(error, 'code')
  const isUnread = code === 'ERR_UNKNOWN_FILE_EXTENSION'
    || (code === 'ERR_MODULE_NOT_FOUND' && isInTypeScript(propertyOf(error, 'url')))
  if (!/\.[cm]?tsx?$/.test(module) || !isUnread) return ''
  return '\nA TypeScript module needs a loader. Install one: npm install --save-dev tsx'
}

/** Returns true if a module that was not found is there in TypeScript: `import './db.js'` of `db.ts`. */
function isInTypeScript(url: unknown): boolean {
  return typeof url === 'string' && url.startsWith('file:') && existsSync(new URL(url.replace(/\.([cm]?)js$/, '.$1ts')))
}

/** Makes every server of this process refuse to listen, with a message about what to export instead. */
export function forbidListening(): void {
  Server.prototype.listen = function listen(): never {
    throw new CliError(
      'the module listens when it is loaded. Name a module that only makes the app, and listen in another one',
    )
  }
}

/** A mistake in the command or in the named module; the message is for the user of the command. */
export class CliError extends Error {}
