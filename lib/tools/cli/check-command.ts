import type { Application } from 'express'
import { checkApi } from '../testing/check/check-api.js'
import type { CheckOptions } from '../testing/check/options.js'
import { callersIn } from './access-command.js'
import { CliError } from './load-routes.js'
import type { Answer } from './openapi-command.js'

interface CheckCommand extends Pick<CheckOptions, 'tenants' | 'secrets' | 'skip' | 'only'> {
  /** The file with the callers. */
  readonly callers?: string | undefined
  readonly budget?: string | undefined
  readonly timeout?: string | undefined
  readonly seed?: string | undefined
}

/** Sends requests of all kinds to every route, and prints the findings. @throws CliError where none was sent */
export async function checkCommand(
  routes: Application,
  { callers, tenants, secrets, skip, only, budget, timeout, seed }: CheckCommand,
): Promise<Answer> {
  const lists = { tenants, secrets, skip, only }
  const report = await checkApi(routes, {
    ...lists,
    callers: callers === undefined ? undefined : await callersIn(callers),
    budget: numberIn('--budget', budget),
    timeout: numberIn('--timeout', timeout),
    seed: numberIn('--seed', seed),
  })
  // It would look like the result of an application without findings.
  if (report.requests === 0) throw new CliError('No request was sent. Raise --budget, or skip fewer routes.')
  return { text: String(report), json: report, status: report.findings.length > 0 ? 1 : 0 }
}

function numberIn(option: string, text: string | undefined): number | undefined {
  if (text === undefined || /^\d+(?:\.\d+)?$/.test(text)) return text === undefined ? undefined : Number(text)
  throw new CliError(`${option} takes a number, not ${text}.`)
}
