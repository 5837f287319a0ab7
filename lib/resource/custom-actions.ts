import { MisuseError } from '../errors.js'
import { METHODS } from '../node-http.js'
import type { LooseCustom } from './declaration.js'
import type { PlannedAction } from './plan.js'

/** Custom actions as planned ones; `methods` is a list or one, GET where it is missing. */
export function customActions(custom: Readonly<Record<string, LooseCustom>>): PlannedAction[] {
  return Object.entries(custom).map(([name, { methods = 'GET', route, ...spec }]) => ({
    name,
    methods: methodsOf(name, methods),
    paths: [route],
    spec,
  }))
}

/** A method or several, upper case, each once. */
export function methodsOf(name: string, methods: string | readonly string[]): string[] {
  const list = typeof methods === 'string' ? [methods] : methods
  if (!Array.isArray(list) || list.length === 0) throw new MisuseError('methods_invalid', `\`${name}\` says no method it answers.`)
  const upper = [...new Set(list.map((method) => String(method).toUpperCase()))]
  const unknown = upper.find((method) => !METHODS.includes(method))
  if (unknown !== undefined) throw new MisuseError('method_invalid', `\`${name}\` says the method \`${unknown}\`, which HTTP does not have.`)
  return upper
}
