/** The event by which an app tells that all its routes are mounted and that it is about to be served. */
export const SERVING = Symbol('resourcery.serving')
