import { z } from 'zod'
import { MisuseError } from '../errors.js'

/**
 * Returns zod, for what is made of it while a module is loaded.
 *
 * @throws MisuseError `zod_unsupported` for zod 3, which lacks what this package is built on.
 */
export function zod4(): typeof z {
  if ((z as { readonly core?: unknown }).core !== undefined) return z
  throw new MisuseError('zod_unsupported', 'resourcery works with zod 4, and an older zod is installed: run `npm install zod@4`.')
}
