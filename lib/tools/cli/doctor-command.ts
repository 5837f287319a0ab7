import type { Application } from 'express'
import { doctor } from '../doctor.js'
import { untestedIn } from '../versions.js'
import type { Answer } from './openapi-command.js'

/** Prints what a careful operator wants to know of an app before it is served. */
export async function doctorCommand(routes: object, pools: readonly string[]): Promise<Answer> {
  const untested = untestedIn(process.cwd())
  const { findings, notes } = await doctor(routes as Application, { pools, untested })
  const lines = [
    ...findings.map(({ code, message, page }) => `${code}: ${message}\n  ${page}`),
    ...notes.map((note) => `note: ${note}`),
    findings.length === 0 ? 'No findings.' : `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}.`,
  ]
  return { text: lines.join('\n'), json: { findings, notes }, status: findings.length > 0 ? 1 : 0 }
}
