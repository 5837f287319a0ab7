import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from './pages.js'

/** Files of packages are parsed once for all guides. */
const parsed = new Map<string, ts.SourceFile | undefined>()

/** Returns the messages of the compiler about the programs of a folder. */
export function faultsIn(folder: string): string[] {
  const names = filesIn(folder)
  if (names.length === 0) return []
  const options = optionsOf(folder)
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, ...rest) => {
    if (!name.includes('/node_modules/')) return getSourceFile.call(host, name, ...rest)
    if (!parsed.has(name)) parsed.set(name, getSourceFile.call(host, name, ...rest))
    return parsed.get(name)
  }
  const program = ts.createProgram(names, options, host)
  const faults = names.flatMap((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(name)))
  return [...program.getOptionsDiagnostics(), ...faults].map(({ file, start = 0, messageText }) => {
    const line = file === undefined ? '' : file.text.slice(0, start).split('\n').length
    return `${file?.fileName.replace(folder, '') ?? ''}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /\.tsx?$/.test(name) && !name.startsWith('generated')).map((name) => join(folder, name))
}

/** The options of the page's own tsconfig.json, otherwise the strict ones of this repository. */
function optionsOf(folder: string): ts.CompilerOptions {
  const own = existsSync(join(folder, 'tsconfig.json'))
  const base = own ? folder : root
  const { config } = ts.readConfigFile(join(base, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: unknown
  }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, base, undefined, join(base, 'tsconfig.json'))
  if (own) return { ...options, noEmit: true }
  const { paths: _, tsBuildInfoFile: __, ...strict } = options
  return { ...strict, incremental: false, verbatimModuleSyntax: false }
}
