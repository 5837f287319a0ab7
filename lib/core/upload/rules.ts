import { MisuseError } from '../base/errors.js'
import { BOOLEAN, isTexts } from '../base/forms.js'
import { checkOptionNames, show } from '../base/options.js'
import type { FileFields, FileRule } from '../base/types.js'

export interface UploadOptions {
  /** The most bytes of all text fields of a form together. @default 100_000 */
  readonly textBytes?: number | undefined
  /**
   * The most bytes of a file that stay in memory; a larger file goes to the system's temporary folder. All uploads of a
   * process together keep at most 32 MiB in memory; beyond that, smaller files go to the folder too.
   *
   * @default 262_144
   */
  readonly memoryBytes?: number | undefined
  /** The seconds without progress after which a storage is considered down. @default 30 */
  readonly storageTimeout?: number | undefined
}

export interface FieldRule {
  /** Empty if any type is accepted. */
  readonly types: readonly string[]
  readonly maxBytes: number
  readonly maxCount: number
  readonly required: boolean
}

export interface FormRules extends Readonly<Record<keyof UploadOptions, number>> {
  readonly fields: ReadonlyMap<string, FieldRule>
  /** The most files of the form. */
  readonly files: number
  /** The most bytes of a single file. */
  readonly fileBytes: number
  /** The most bytes of the whole form. */
  readonly bytes: number
}

/** The most text fields of a form. */
export const MOST_FIELDS = 100

/** The longest name of a field, in bytes. */
export const LONGEST_NAME = 100

/** The most bytes of the boundary and the headers of one part. */
const PART_BYTES = 1000

const MEDIA_TYPE = /^[a-z0-9][\w.+-]*\/[a-z0-9][\w.+-]*$/

/**
 * Checks the fields and options of an upload and computes all limits of its form.
 *
 * @throws MisuseError `upload_invalid` for a field or option with an invalid value.
 */
export function formRules(fields: FileFields, options: UploadOptions): FormRules {
  checkFields(fields)
  const rules = new Map(Object.entries(fields).map(([name, rule]) => [checkName(name), fieldRule(name, rule)]))
  checkOptionNames('upload', options, ['textBytes', 'memoryBytes', 'storageTimeout'])
  const { textBytes = 100_000, memoryBytes = 262_144, storageTimeout = 30 } = options
  checkWhole('textBytes', textBytes, 0)
  checkWhole('memoryBytes', memoryBytes, 0)
  checkWhole('storageTimeout', storageTimeout, 1)
  const all = [...rules.values()]
  const files = sum(all.map(({ maxCount }) => maxCount))
  const fileBytes = Math.max(0, ...all.map(({ maxBytes }) => maxBytes))
  const bytes = sum(all.map(({ maxBytes, maxCount }) => maxBytes * maxCount)) + textBytes
    + (MOST_FIELDS + files + 2) * PART_BYTES
  return { fields: rules, files, fileBytes, bytes, textBytes, memoryBytes, storageTimeout }
}

/** Checks what a program in JavaScript gives. */
function checkFields(fields: unknown): void {
  if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return
  throw misuse(
    `The file fields of an upload are ${show(fields)}. Write an object of rules by field, such as \`{ avatar: {} }\`.`,
  )
}

function fieldRule(name: string, rule: FileRule): FieldRule {
  const allowed = ['types', 'maxBytes', 'maxCount', 'required']
  checkOptionNames(`The file field \`${name}\``, rule, allowed, 'upload_invalid')
  const { types, maxBytes = 10_000_000, maxCount = 1, required = false } = rule
  const accepted = typesOf(name, types)
  if (!BOOLEAN.is(required)) {
    throw misuse(`\`required\` of the file field \`${name}\` must be ${BOOLEAN.words}, not ${show(required)}.`)
  }
  checkWhole(`maxBytes\` of \`${name}`, maxBytes, 1)
  checkWhole(`maxCount\` of \`${name}`, maxCount, 1)
  return { types: accepted, maxBytes, maxCount, required }
}

/** Returns the types that a field accepts, empty if any type is. An empty list in a rule may be a lost setting. */
function typesOf(name: string, types: FileRule['types']): readonly string[] {
  if (types === undefined) return []
  if (!isTexts(types)) {
    throw misuse(`The \`types\` of the file field \`${name}\` must be a list of media types, not ${show(types)}.`)
  }
  if (types.length === 0) {
    throw misuse(
      `The \`types\` of the file field \`${name}\` are empty, so that no file fits. Name a type such as \`image/png\`, `
        + 'or leave out `types` to accept any.',
    )
  }
  const odd = types.find((type) => !MEDIA_TYPE.test(type))
  if (odd === undefined) return types
  throw misuse(
    `The file field \`${name}\` accepts \`${odd}\`, which is no media type in lower case. `
      + 'Write a type such as `image/png`.',
  )
}

function checkName(name: string): string {
  if (name !== '' && name !== '__proto__' && !/[[\]\0-\x1F]/.test(name) && Buffer.byteLength(name) <= LONGEST_NAME) {
    return name
  }
  throw misuse(
    `A file field is called \`${name}\`, which a form cannot send safely. `
      + `Use a name of 1 to ${LONGEST_NAME} bytes without brackets.`,
  )
}

function checkWhole(what: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return
  throw misuse(`\`${what}\` of an upload is ${String(value)}. Use a whole number from ${least}.`)
}

/** Returns the name of the field: `tags[]` is the list `tags`. */
export function listName(name: string): string {
  return name.endsWith('[]') ? name.slice(0, -2) : name
}

function misuse(message: string): MisuseError {
  return new MisuseError('upload_invalid', message)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
