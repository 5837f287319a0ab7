import { type HttpError, isHttpError, UnavailableError } from '../errors.js'
import { within } from '../within.js'

/**
 * What a function of the user's answers to the question who is calling.
 *
 * A 4xx that it throws is its answer too.
 *
 * @throws UnavailableError for anything else it throws, and for silence.
 */
export async function ask<T>(what: string, seconds: number, question: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await within(seconds, Promise.resolve(question()))
  } catch (cause) {
    throw isRefusal(cause) ? cause : new UnavailableError(`${what} did not answer`, { cause })
  }
}

function isRefusal(error: unknown): error is HttpError {
  return isHttpError(error) && (error as HttpError).status >= 400 && (error as HttpError).status < 500
}
