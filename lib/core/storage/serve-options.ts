import { MisuseError } from '../base/errors.js'
import { isList } from '../base/guards.js'
import { checkOptionNames, show } from '../base/options.js'

export interface ServeFilesOptions {
  /**
   * The types that a browser may display; files of other types are downloaded.
   *
   * @default JPEG, PNG, GIF, WebP and AVIF
   */
  readonly inline?: readonly string[] | undefined
  /**
   * `'private'`: only the caller's browser keeps a copy, and asks before it uses it again. `'public'`: every cache may
   * keep one for a year without asking, since the content of a generated path never changes.
   *
   * @default 'private'
   */
  readonly cache?: 'private' | 'public' | undefined
  /** The seconds for which a copy may be used without asking. @default 0, with `cache: 'public'` 31_536_000 */
  readonly maxAge?: number | undefined
}

/** @throws MisuseError `option_unknown`, `option_seconds` or `storage_invalid`. */
export function checkServeOptions(where: string, options: ServeFilesOptions): void {
  checkOptionNames(where, options, ['inline', 'cache', 'maxAge'])
  const { inline = [], cache = 'private', maxAge = 0 } = options
  if (!['private', 'public'].includes(cache)) {
    throw new MisuseError('storage_invalid', `${where}: \`cache\` must be 'private' or 'public', not ${show(cache)}.`)
  }
  if (!Number.isSafeInteger(maxAge) || maxAge < 0) {
    throw new MisuseError(
      'option_seconds',
      `${where}: \`maxAge\` must be a whole number of seconds, not ${show(maxAge)}.`,
    )
  }
  if (!isList(inline)) {
    throw new MisuseError('storage_invalid', `${where}: \`inline\` must be a list of types, not ${show(inline)}.`)
  }
}
