import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { propertyOf } from '../../core/index.js'

/** The functions of the TypeScript of the project that are needed. */
interface TypeScript {
  readonly sys: { readFile(path: string): string | undefined }
  findConfigFile(folder: string, exists: (path: string) => boolean): string | undefined
  readConfigFile(path: string, read: (path: string) => string | undefined): { readonly config?: unknown }
  parseJsonConfigFileContent(config: unknown, host: object, folder: string): { readonly options: object }
  createCompilerHost(options: object): Host
  createProgram(names: readonly string[], options: object,
    host: Host): { getSourceFile(path: string): object | undefined }
  getPreEmitDiagnostics(program: object, file: object | undefined): readonly object[]
  createSourceFile(name: string, text: string, options: object): object
}

interface Host {
  fileExists(path: string): boolean
  readFile(path: string): string | undefined
  getSourceFile(path: string, options: object): object | undefined
}

/**
 * Returns a function that is true for a text of a file that compiles as a part of the project. It is `undefined` where
 * TypeScript cannot be asked: it is not installed, or has no such functions, as from version 7 on.
 */
export function compilerOf(root: string, file: string): ((text: string) => boolean) | undefined {
  const typescript = typescriptOf(root)
  if (typescript === undefined) return undefined
  const full = resolve(root, file)
  const read = (path: string): string | undefined => typescript.sys.readFile(path)
  const config = typescript.findConfigFile(dirname(full), (path) => read(path) !== undefined)
  const parsed = config === undefined ? {} : typescript.readConfigFile(config, read)
  const { options } = typescript.parseJsonConfigFileContent(parsed.config ?? {}, typescript.sys, root)
  const settings = { ...options, noEmit: true, incremental: false, composite: false }
  const host = typescript.createCompilerHost(settings)
  const isOwn = (path: string): boolean => resolve(path) === full
  const sources = new Map<string, object | undefined>()
  return (text) => {
    const virtual = {
      __proto__: host,
      fileExists: (path: string) => isOwn(path) || host.fileExists(path),
      readFile: (path: string) => isOwn(path) ? text : host.readFile(path),
      getSourceFile: (path: string, language: object) => {
        if (isOwn(path)) return typescript.createSourceFile(path, text, language)
        if (!sources.has(path)) sources.set(path, host.getSourceFile(path, language))
        return sources.get(path)
      },
    }
    const program = typescript.createProgram([full], settings, virtual)
    return typescript.getPreEmitDiagnostics(program, program.getSourceFile(full)).length === 0
  }
}

function typescriptOf(root: string): TypeScript | undefined {
  try {
    const typescript: unknown = createRequire(join(root, 'package.json'))('typescript')
    return isTypeScript(typescript) ? typescript : undefined
  } catch {
    return undefined
  }
}

function isTypeScript(value: unknown): value is TypeScript {
  return typeof propertyOf(value, 'createProgram') === 'function'
}
