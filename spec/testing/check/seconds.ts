import { isNightly } from '../../support/nightly.js'

/** Seconds of a run that should find nothing. */
export const SECONDS = isNightly ? 20 : 10
