import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { MisuseError } from '../errors.js'

/** The files of Swagger UI that the page asks for. */
export const FILES = ['swagger-ui.css', 'index.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'favicon-32x32.png'] as const

/**
 * The folder of the package `swagger-ui-dist`; none of its code runs here.
 *
 * @throws MisuseError `swagger_ui_missing` when it is not installed.
 */
export function swaggerUiFolder(resolve: (id: string) => string = createRequire(import.meta.url).resolve): string {
  try {
    return dirname(resolve('swagger-ui-dist/package.json'))
  } catch {
    throw new MisuseError('swagger_ui_missing', 'The documentation page needs Swagger UI: `npm install swagger-ui-dist`, or say `page: false`.')
  }
}
