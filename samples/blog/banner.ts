import { PASSWORD, SIGN_INS } from './database/seed.js'
import { PANEL } from './panel.js'

/** The first steps: pages to open, accounts to sign in with, and three requests to paste into a shell. */
export function banner(url: string, { hasPanel = false, hasDux = false } = {}): string {
  const credentials = JSON.stringify({ email: SIGN_INS[0].email, password: PASSWORD })
  const login = `curl -s -X POST ${url}/admin/login -H 'Content-Type: application/json' -d '${credentials}'`
  const token = `$(${login} | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`
  return [
    `listening on ${url}`,
    '',
    ...(hasPanel ? [`The admin panel is at ${url}${PANEL}/`, ''] : []),
    'Open in a browser:',
    `  ${url}/docs (the document itself: ${url}/openapi.json)`,
    ...(hasPanel ? [] : ['  the admin panel, with npm run admin in place of npm start']),
    `Agents connect to ${url}/mcp`,
    '',
    ...(hasDux ? [`The application for @duxweb/dvha-core is at ${url}/dux`, ''] : []),
    `Sign in at /admin/login or /shop/login with the password "${PASSWORD}":`,
    ...SIGN_INS.map(({ email, role }) => `  ${email} (${role ?? 'no role'})`),
    '',
    'Try:',
    `  curl -s ${url}/admin/users/health`,
    `  ${login}`,
    `  curl -s "${url}/admin/posts?category=news&sort=title&limit=3" -H "Authorization: Bearer ${token}"`,
  ].join('\n')
}
