import type { RequestHandler } from 'express'
import { PANEL } from './panel.js'

interface Link {
  readonly path: string
  readonly text: string
}

const LINKS: readonly Link[] = [
  { path: '/docs', text: 'The documentation, where requests can be tried' },
  { path: '/openapi.json', text: 'The same as an OpenAPI document' },
  { path: '/admin/users/health', text: 'A public route' },
]

/** Sends a small page of links at `/`, for whoever opens the address that `npm start` prints. */
export function homePage({ hasPanel }: { readonly hasPanel: boolean }): RequestHandler {
  const links = hasPanel ? [{ path: `${PANEL}/`, text: 'The admin panel' }, ...LINKS] : LINKS
  const items = links.map(({ path, text }) => `<li><a href="${path}">${path}</a>: ${text}</li>`)
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The blog</title>
<style>body { font: 1rem/1.6 system-ui; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }</style>
<h1>The blog</h1>
<ul>
${items.join('\n')}
</ul>
<p>Agents connect to <code>/mcp</code>. <code>npm start</code> prints who can sign in.${
    hasPanel ? '' : ' <code>npm run admin</code> starts the blog with its admin panel.'
  }</p>
`
  return (_req, res) => {
    res.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'").type('html').send(page)
  }
}
