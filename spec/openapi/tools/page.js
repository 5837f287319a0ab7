// Opens the documentation page of a running blog in headless Chromium with every other host blocked, signs in and tries a list:
// `node page.js http://127.0.0.1:3000 [screenshot.png]`.
import { chromium } from 'playwright-core'

const [blog, screenshot = 'docs-page.png'] = process.argv.slice(2)
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args })
const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })

const foreign = []
const complaints = []
await page.route('**/*', (route) => {
  const { origin, protocol, href } = new URL(route.request().url())
  if (origin === blog || protocol === 'data:') return route.continue()
  foreign.push(href)
  return route.abort()
})
page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()))
page.on('pageerror', (error) => complaints.push(String(error)))

await page.goto(`${blog}/docs`)
await page.waitForSelector('.opblock')
await page.screenshot({ path: screenshot })
const shown = await page.locator('.opblock').count()
const { paths } = await (await fetch(`${blog}/openapi.json`)).json()
const documented = Object.values(paths).flatMap((item) => Object.keys(item)).length

const body = JSON.stringify({ email: 'admin@example.test', password: 'correct horse battery staple' })
const { data } =
  await (await fetch(`${blog}/admin/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }))
    .json()
await page.click('.auth-wrapper .authorize')
await page.locator('.auth-container input').first().fill(data.token)
await page.locator('.auth-container button.authorize').first().click()
await page.click('.btn-done')
await page.reload() // the token is kept
await page.waitForSelector('.opblock')
const list = page
  .locator('.opblock')
  .filter({ has: page.locator('[data-path="/admin/users"]') })
  .filter({ hasText: 'GET' })
  .first()
await list.locator('.opblock-summary-control').click()
await list.locator('button.execute').click()
const status = await list.locator('.live-responses-table .response .response-col_status').first().innerText()
await browser.close()

console.log({ shown, documented, tried: status, foreign, complaints })
process.exitCode = shown === documented && status.startsWith('200') && foreign.length + complaints.length === 0 ? 0 : 1
