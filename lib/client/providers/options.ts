/** Checks the names of options: a misspelt one would have no effect. @throws TypeError for an unknown option */
export function checkOptions(where: string, options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw new TypeError(`${where}: there is no option \`${unknown}\`. The options are ${names.join(', ')}.`)
  }
}

/** @throws TypeError for an option that is needed and no string, such as the URL of an API */
export function checkString(what: string, value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`${what} must be a string, not ${String(value)}`)
}
