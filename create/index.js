#!/usr/bin/env node
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { ask, CommandError, HELP, readOptions } from './options.js'
import { projectFiles } from './project.js'

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof CommandError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = error.status
}

async function main(argv) {
  const given = readOptions(argv)
  if (given.help) {
    process.stdout.write(HELP)
    return 0
  }
  const options = await ask(given)
  const folder = resolve(options.folder)
  refuseContent(folder, options.folder)
  const resourcery = specIn(folder, options.resourcery)
  const files = projectFiles({ ...options, resourcery, name: packageName(basename(folder)) })
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
  } catch (error) {
    throw new CommandError(`The project cannot be written: ${error.message}`, 1)
  }
  process.stdout.write(`Created ${files.size} files in ${options.folder}.\n`)
  if (options.install && spawnSync('npm', ['install'], { cwd: folder, stdio: 'inherit', shell: true }).status !== 0) {
    throw new CommandError('`npm install` has failed; the files are complete.', 1)
  }
  process.stdout.write(nextSteps(options))
  return 0
}

function refuseContent(folder, shown) {
  let names = []
  try {
    names = readdirSync(folder)
  } catch (error) {
    if (error.code === 'ENOTDIR') throw new CommandError(`${shown} is a file.`, 1)
    if (error.code !== 'ENOENT') throw new CommandError(`The folder ${shown} cannot be read: ${error.message}`, 1)
  }
  if (names.some((name) => name !== '.git')) {
    throw new CommandError(`The folder ${shown} is not empty. Nothing was written.`, 1)
  }
}

/** Returns a version as the project names it: the user names a file from here, and npm reads it from the project. */
function specIn(folder, spec) {
  const file = /^file:(.+)/.exec(spec)?.[1]
  if (file === undefined || isAbsolute(file) || !existsSync(file)) return spec
  return `file:${relative(folder, resolve(file)).replaceAll('\\', '/')}`
}

/** Returns a name that npm accepts. */
function packageName(folder) {
  return folder.toLowerCase().replace(/[^a-z0-9-]+/g, '-').replace(/^-+|-+$/g, '') || 'api'
}

/** Quotes a folder for a shell where it needs that. */
function asArgument(folder) {
  return /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", String.raw`'\''`)}'`
}

function nextSteps({ folder, install, database, library }) {
  const steps = [
    ...(folder === '.' ? [] : [`cd ${asArgument(folder)}`]),
    ...(install ? [] : ['npm install']),
    ...(library === 'prisma' ? ['npm run generate'] : []),
    'npm test',
    ...(database === 'postgres' ? ['export DATABASE_URL=postgres://localhost/notes', 'npm run migrate'] : []),
    'npm run dev',
  ]
  return `\nNext:\n\n${
    steps.map((step) => `  ${step}\n`).join('')
  }\nThe README of the project describes each command.\n`
}
