import type { RequestHandler } from 'express'
import { middlewareOf, MisuseError } from '../../../core/index.js'
import type { AnyOptions, CrudSpec, Feature, FeatureHooks } from '../../core/index.js'
import { IF_MATCH, preconditionOf, readIfMatch, singleChangeOf, tagOf, type IfMatch } from './precondition.js'

type Field<R> = keyof R & string
type Numbers<R> = { [K in Field<R>]: NonNullable<R[K]> extends number ? K : never }[Field<R>]

export interface IfMatchOption<R> {
  /**
   * Makes changes depend on `If-Match`: `'required'` refuses one without the header (428), `'optional'` accepts it; a
   * stale one is 412 either way. Replies with one record carry its `ETag`. @default no tags
   */
  readonly ifMatch?: 'required' | 'optional' | undefined
  /**
   * The column that counts the versions of a row, from 1 by every change; only crud writes it. @default the tag is made
   * of the output
   */
  readonly version?: Numbers<R> | undefined
}

type Own = IfMatchOption<Record<string, number>>

/** Sends the ETag of each record, and lets a change depend on it. */
export const ifMatch: Feature<Own, IfMatch> = {
  options: { ifMatch: true, version: true },
  settingsOf(options) {
    checkOptions(options)
    return options.ifMatch === undefined ? undefined : { ifMatch: options.ifMatch, version: options.version }
  },
  install(plan, settings) {
    const { version } = settings
    return {
      wrapAction: documentHeaders(settings.ifMatch === 'required'),
      precondition: (call, keys, areDeleted) => preconditionOf(call, settings, keys, areDeleted),
      singleChange: ({ req }, key) => singleChangeOf(settings, req, key),
      recordHeaders: (row, sent) => ({ ETag: `"${tagOf(plan, settings, row, sent)}"` }),
      ...(version !== undefined && {
        columnsOfNew: () => ({ [version]: 1 }),
        columnsOfChange: (row) => ({ [version]: Number(row[version] ?? 0) + 1 }),
      }),
    }
  },
}

function checkOptions({ ifMatch: option, version, input, changes = input }: AnyOptions & Own): void {
  if (![undefined, 'required', 'optional'].includes(option)) {
    const given: unknown = option
    const advice = given === 'honoured'
      ? "`ifMatch: 'honoured'` of crud was renamed to 'optional'"
      : "`ifMatch` of crud must be 'required' or 'optional'"
    throw new MisuseError('crud_if_match', `${advice}.`)
  }
  if (version === undefined) return
  if (option === undefined) {
    throw new MisuseError(
      'crud_version',
      "`version` of crud is compared by `ifMatch`, which is not given: set `ifMatch: 'required'` or `'optional'`.",
    )
  }
  if ([input, changes].every(({ shape }) => !Object.hasOwn(shape, version))) return
  throw new MisuseError(
    'crud_version',
    `\`version\` of crud counts the versions of a row in \`${version}\`, which only crud may write: remove `
      + `\`${version}\` from \`input\` and \`changes\`.`,
  )
}

const ETag = { description: 'The version of this record, for `If-Match` and `If-None-Match`' }
const IF_NONE_MATCH = { description: 'The ETag of the client’s copy: 304 while it is current' }

/** Returns changes of an action: its headers are documented, and an `If-Match` that cannot be read is refused first. */
function documentHeaders(required: boolean): NonNullable<FeatureHooks['wrapAction']> {
  return (spec, name, { repliesRecord = false, changesRows = false, changesDeletedRows = false }) => ({
    ...spec,
    ...(repliesRecord && { responseHeaders: { ...spec.responseHeaders, ETag } }),
    ...(name === 'show' && { requestHeaders: { ...spec.requestHeaders, 'If-None-Match': IF_NONE_MATCH } }),
    ...((changesRows || changesDeletedRows) && withIfMatch(spec, required && changesRows)),
  })
}

function withIfMatch({ requestHeaders, statuses = [], use }: CrudSpec, required: boolean): Partial<CrudSpec> {
  const description = 'The ETag of the record to change, for several records all their ETags; `*` for any'
  return {
    requestHeaders: { ...requestHeaders, 'If-Match': { description, required, example: '*', pattern: IF_MATCH } },
    statuses: [...statuses, 412, ...(required ? [428] : [])],
    use: [...middlewareOf(use), refuseUnreadable],
  }
}

const refuseUnreadable: RequestHandler = (req, _res, next) => {
  readIfMatch(req)
  next()
}
