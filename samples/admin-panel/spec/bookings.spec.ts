import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from './blog.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const PICTURE = fileURLToPath(new URL('../bookings.png', import.meta.url))

let server: ChildProcess
let browser: Browser
let panel: string
const faults: string[] = []

/** Starts the bookings with their panel on the embedded database, and returns the address of the panel. */
function start(): Promise<string> {
  server = spawn(process.execPath, ['--import', 'tsx', 'samples/bookings/main.ts'], {
    cwd: root,
    env: { ...process.env, PORT: '0', DATABASE_URL: undefined, PANEL_DIR: 'samples/admin-panel/bookings/dist' },
  })
  let output = ''
  return new Promise((resolve, reject) => {
    server.once('close', () => reject(new Error(`The bookings did not start: ${output}`)))
    server.stderr?.on('data', (chunk: Buffer) => output += chunk.toString())
    server.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const address = /panel at (\S+)$/m.exec(output)?.[1]
      if (address !== undefined) resolve(address)
    })
  })
}

beforeAll(async () => {
  ;[panel, browser] = await Promise.all([
    start(),
    chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    }),
  ])
})
afterAll(async () => {
  await browser.close()
  const ended = new Promise((resolve) => server.once('close', resolve))
  server.kill()
  await ended
})

async function signedIn(email: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 640 },
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(50_000)
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto(panel)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password *').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  // The home page goes to the first list, after the menu is there: it would leave a page that is opened before that.
  await page.waitForURL(({ hash }) => hash === '#/bookings')
  await page.getByRole('menuitem', { name: 'Bookings' }).waitFor()
  // The list writes its parameters into the address once it has its rows.
  await page.waitForLoadState('networkidle')
  return page
}

/** Loads the panel at one of its pages; a list that is still open could change the address of a page after it. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(`${panel}#${path}`)
}

const menuOf = (page: Page) => page.getByRole('menu').getByRole('menuitem').allInnerTexts()
const field = (page: Page, label: string) => page.locator('form').getByLabel(label, { exact: true })
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

async function choose(page: Page, label: string, choice: string): Promise<void> {
  await field(page, label).click()
  await page.getByRole('option', { name: choice, exact: true }).click()
}

async function book(page: Page, title: string, startsAt: string, endsAt: string): Promise<void> {
  await open(page, '/bookings/create')
  await field(page, 'Title').fill(title)
  await choose(page, 'Room', 'Hall')
  await choose(page, 'Customer', 'Ada')
  await field(page, 'From').fill(startsAt)
  await field(page, 'To').fill(endsAt)
  await save(page)
}

describe('the panel of the bookings', () => {
  it('books a room, and shows at its field that a room is taken', async () => {
    const page = await signedIn('nora@example.test')
    await book(page, 'Choir', '2027-01-08T18:00', '2027-01-08T20:00')
    await page.getByRole('cell', { name: 'Choir' }).waitFor()
    await book(page, 'Band', '2027-01-08T19:00', '2027-01-08T21:00')
    await page.getByText('The room is taken at this time').first().waitFor()
    await field(page, 'From').fill('2027-01-08T20:00')
    await save(page)
    await page.getByRole('cell', { name: 'Band' }).waitFor()
    expect(await page.locator('tbody .column-roomId').allInnerTexts()).toEqual(['Hall', 'Hall'])
    await page.waitForLoadState('networkidle')
    if (process.env.PICTURE === 'on') await page.screenshot({ path: PICTURE, animations: 'disabled' })
  })

  it('writes an invoice and its lines in one form', async () => {
    const page = await signedIn('nora@example.test')
    await open(page, '/invoices/create')
    await field(page, 'Number').fill('2027-1')
    await field(page, 'Date').fill('2027-01-09')
    await choose(page, 'Customer', 'Ada')
    await page.getByRole('button', { name: 'Add' }).click()
    await field(page, 'Text').fill('The hall, two hours')
    await field(page, 'Quantity').fill('2')
    await field(page, 'Price').fill('190.50')
    await save(page)
    await page.getByRole('cell', { name: '381.00' }).waitFor()
  })

  it('offers each caller what their role grants, and the rows of their tenant', async () => {
    const nora = await signedIn('nora@example.test')
    await expect.poll(() => menuOf(nora)).toEqual(['Bookings', 'Invoices', 'Rooms', 'Customers', 'Users', 'Roles',
      'Audit'])
    const ned = await signedIn('ned@example.test')
    await expect.poll(() => menuOf(ned)).toEqual(['Bookings', 'Rooms', 'Customers'])
    const sue = await signedIn('sue@example.test')
    await sue.goto(`${panel}#/rooms`)
    await sue.getByRole('cell', { name: 'Attic' }).waitFor()
    expect(await sue.locator('tbody .column-name').allInnerTexts()).toEqual(['Attic'])
  })

  it('throws no error in its page', () => {
    expect(faults).toEqual([])
  })
})
