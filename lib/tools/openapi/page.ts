import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { MisuseError } from '../../core/index.js'

/** One document that the page can show; its address is relative to the page's. */
export interface PageDocument {
  readonly name: string
  readonly url: string
}

/** The files of Swagger UI that the page loads. */
export const PAGE_FILES = [
  'swagger-ui.css',
  'index.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'favicon-32x32.png',
] as const

/**
 * Returns the folder of the package `swagger-ui-dist`; its code runs only in browsers.
 *
 * @throws MisuseError `swagger_ui_missing` when it is not installed.
 */
export function swaggerUiFolder(resolve: (id: string) => string = createRequire(import.meta.url).resolve): string {
  try {
    return dirname(resolve('swagger-ui-dist/package.json'))
  } catch {
    throw new MisuseError(
      'swagger_ui_missing',
      'The documentation page needs Swagger UI: run `npm install swagger-ui-dist`, or set `page: false`.',
    )
  }
}

/**
 * The content security policy of the page: it runs local scripts and contacts its own host.
 *
 * Swagger UI draws its icons as `data:` images, and sets styles by script, which a policy does not restrict.
 */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Returns the page; `folder` is the folder of its scripts, relative to it. */
export function pageHtml(title: string, folder: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${folder}/swagger-ui.css">
<link rel="stylesheet" href="${folder}/index.css">
<link rel="icon" type="image/png" href="${folder}/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${folder}/swagger-ui-bundle.js"></script>
<script src="${folder}/swagger-ui-standalone-preset.js"></script>
<script src="${folder}/start.js"></script>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
