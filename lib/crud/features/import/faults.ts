import { ConflictError, HttpError, ValidationError, type Fields } from '../../../errors.js'

/** The most messages about one file that are sent to the client. */
const MOST = 100

/** The faults of the lines of a file: `{ "line.17.email": ["Is taken"] }`. */
export class Faults {
  readonly #fields: Record<string, readonly string[]> = {}
  readonly #lines = new Set<number>()
  #left = MOST

  get lines(): number {
    return this.#lines.size
  }

  /** True if no more messages are kept. */
  get isFull(): boolean {
    return this.#left === 0
  }

  get fields(): Fields {
    return this.#fields
  }

  add(line: number, error: HttpError): void {
    this.#lines.add(line)
    const named = error instanceof ValidationError || error instanceof ConflictError ? error.fields : undefined
    const messages = Object.entries(named ?? { _: [error.message] })
    for (const [field, all] of messages) {
      const kept = all.slice(0, this.#left)
      if (kept.length > 0) this.#fields[field === '_' ? `line.${line}` : `line.${line}.${field}`] = kept
      this.#left -= kept.length
    }
  }
}

/** Checks whether an error is about a row, rather than about the store or the program: a 4xx that may be shown. */
export function isFault(error: unknown): error is HttpError {
  return error instanceof HttpError && error.status < 500 && error.expose
}

/** 422: nothing was written because of some lines of a file; up to 100 messages are kept, where other requests keep 50. */
export class ImportError extends ValidationError {
  override readonly fields: Fields

  constructor({ fields, lines, isFull }: Faults) {
    super({}, `Nothing was imported: ${isFull ? 'at least ' : ''}${lines} ${lines === 1 ? 'line is' : 'lines are'} not valid`)
    this.fields = fields
  }
}
