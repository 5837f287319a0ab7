/** One document that the page can show; its address is relative to the page's. */
export interface PageDocument {
  readonly name: string
  readonly url: string
}

/**
 * What the page may do: run our own scripts and ask our own host, nothing else.
 *
 * Swagger UI draws its icons as `data:` images, and sets styles by script, which a policy does not concern.
 */
export const POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
].join('; ')

/** The page itself: `folder` is where its scripts are, relative to it. */
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

/**
 * The script that starts it: the reader's token is kept in the browser, and no validator of another host's is asked.
 *
 * The logo is left out because it brings a style of its own, which the policy refuses.
 */
export function startScript(documents: readonly PageDocument[]): string {
  const options = {
    dom_id: '#swagger-ui', deepLinking: true, persistAuthorization: true, tryItOutEnabled: true, validatorUrl: null, queryConfigEnabled: false,
    ...(documents.length === 1 ? { url: documents[0]?.url } : { urls: documents, layout: 'StandaloneLayout' }),
  }
  return `SwaggerUIBundle(Object.assign(${JSON.stringify(options)}, {
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [() => ({ components: { Logo: () => null } })],
}))
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
