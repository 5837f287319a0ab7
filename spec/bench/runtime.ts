import { NODE_VERSIONS, nodeProgram } from '../support/node-versions.js'
import { pathOf, type Runtime } from './processes.js'

/** Returns the Node.js of a release line such as `22`, downloaded from the registry; by default the current one. */
export function runtimeOf(line: string | undefined): Runtime {
  if (line === undefined || process.versions.node.startsWith(`${line}.`)) {
    return {
      program: process.execPath,
      version: process.versions.node,
    }
  }
  const version = NODE_VERSIONS.find((known) => known.startsWith(`${line}.`))
  if (version === undefined) {
    throw new Error(`--node takes one of ${NODE_VERSIONS.map((known) => known.split('.', 1)[0]).join(', ')}`)
  }
  return { program: nodeProgram(version, pathOf('build')), version }
}
