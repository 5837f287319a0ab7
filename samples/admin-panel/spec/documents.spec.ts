import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

let server: ChildProcess
let browser: Browser
let origin: string
const faults: string[] = []

/** Starts an app behind a proxy, and returns the address of the proxy. */
function start(): Promise<string> {
  server = spawn(process.execPath, ['--import', 'tsx', 'spec/openapi/tools/desk.ts'], { cwd: root })
  let errors = ''
  return new Promise((resolve, reject) => {
    server.once('close', () => reject(new Error(`The app did not start: ${errors}`)))
    server.stderr?.on('data', (chunk: Buffer) => errors += chunk.toString())
    server.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
  })
}

beforeAll(async () => {
  origin = await start()
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
})
afterAll(async () => {
  await browser.close()
  const ended = new Promise((resolve) => server.once('close', resolve))
  server.kill()
  await ended
})

async function open(): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(50_000)
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto(`${origin}/v1/docs`)
  await page.locator('.opblock').first().waitFor()
  return page
}

async function signIn(page: Page, tenant: string): Promise<string> {
  await page.getByText('Sign in to desk').click()
  await page.getByLabel('email').fill('nora@example.test')
  await page.getByLabel('password').fill('any')
  await page.getByLabel('tenant').fill(tenant)
  await page.getByRole('button', { name: 'Sign in' }).click()
  const outcome = page.locator('.sign-in output')
  await outcome.filter({ hasText: /./ }).waitFor()
  return outcome.innerText()
}

async function statusOfList(page: Page): Promise<string> {
  const list = page.locator('.opblock').filter({ has: page.locator('[data-path="/items"]') })
  await list.locator('.opblock-summary-control').click()
  await list.locator('button.execute').click()
  return list.locator('.live-responses-table .response .response-col_status').first().innerText()
}

describe('the page of the documents', () => {
  it('signs in on the server that the document names, without optional fields', async () => {
    const page = await open()
    expect(await signIn(page, '7')).toBe('Signed in')
    expect(await statusOfList(page)).toContain('200')
  })

  it('keeps the token of the form in place of an earlier one when it is loaded again', async () => {
    const page = await open()
    await page.click('.auth-wrapper .authorize')
    await page.locator('.auth-container input').first().fill('a.typed.token')
    await page.locator('.auth-container button.authorize').first().click()
    await page.click('.btn-done')
    expect(await signIn(page, '7')).toBe('Signed in')
    await page.reload()
    await page.locator('.opblock').first().waitFor()
    expect(await statusOfList(page)).toContain('200')
  })

  it('shows the field that a login refuses', async () => {
    expect(await signIn(await open(), '0')).toBe('tenant: Must be at least 1')
  })

  it('is readable in dark mode', async () => {
    const page = await open()
    await page.evaluate(() => document.documentElement.classList.add('dark-mode'))
    const colors = await page.evaluate(() => [
      getComputedStyle(document.querySelector('.sign-in')!).color,
      getComputedStyle(document.body).backgroundColor,
    ])
    expect(colors).toEqual(['rgb(228, 230, 230)', 'rgb(28, 32, 34)'])
  })

  it('causes no error in the browser', () => {
    expect(faults).toEqual([])
  })
})
