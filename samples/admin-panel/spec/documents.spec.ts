import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { chromium, type Browser, type Page } from 'playwright-core'
import { auth, errorHandler, issueToken, mountResource, mountRoutes, notFound, permission } from 'resourcery'
import { openapiRouter } from 'resourcery/openapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

const secret = 'a secret of at least thirty-two bytes'

/** An app as behind a proxy that serves it below `/v1` and answers every other path itself. */
async function start(): Promise<[server: Server, origin: string]> {
  const app = express()
  const proxy = createServer((req, res) => {
    const { url = '' } = req
    if (!url.startsWith('/v1/')) res.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>Another application</h1>')
    else app(Object.assign(req, { url: url.slice('/v1'.length) }), res)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  app.use(openapiRouter(app, { title: 'Desk', version: '1', servers: [`${origin}/v1`] }))
  app.use(auth('desk', { secret }), permission('desk'))
  const login = z.object({
    email: z.email(),
    password: z.string(),
    code: z.string().length(6).nullable().optional(),
    tenant: z.int().min(1),
  })
  mountRoutes(app, {
    app: 'desk',
    name: 'session',
    route: '',
    routes: {
      login: {
        methods: 'POST',
        route: '/login',
        auth: false,
        input: login,
        handler: async () => ({
          token: await issueToken('desk', { id: 1, permissions: ['*'] }, { secret, expiresIn: 60 }),
        }),
      },
    },
  })
  mountResource(app, { app: 'desk', route: '/items', name: 'items', handlers: { list: () => [] } })
  app.use(notFound(), errorHandler())
  return [proxy, origin]
}

let server: Server
let origin: string
let browser: Browser
const faults: string[] = []

beforeAll(async () => {
  ;[server, origin] = await start()
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
})
afterAll(async () => {
  await browser.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
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
