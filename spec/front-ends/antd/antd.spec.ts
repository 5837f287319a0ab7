import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, startBlog, type Blog } from '../../../samples/admin-panel/spec/blog.js'

const ARGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']

interface Post {
  readonly id: number
  readonly title: string
  readonly category: string
  readonly authorId: number
}

describe('a refine application with antd', () => {
  let blog: Blog
  let browser: Browser
  let context: BrowserContext
  let page: Page
  const faults: string[] = []

  beforeAll(async () => {
    ;[blog, browser] = await Promise.all([
      startBlog('spec/front-ends/antd/dist'),
      chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS }),
    ])
    context = await browser.newContext({ viewport: { width: 1200, height: 900 }, locale: 'en-GB' })
    page = await open()
  })
  afterAll(async () => {
    await browser.close()
    await blog.stop()
  })

  /** Opens a tab; all tabs of the context share the signed-in user. */
  async function open(path = ''): Promise<Page> {
    const tab = await context.newPage()
    tab.setDefaultTimeout(20_000)
    tab.on('pageerror', (error) => faults.push(String(error)))
    await tab.goto(`${blog.panel}#${path}`)
    return tab
  }

  const postOf = (id: number): Promise<Post> => blog.send('GET', `/posts/${id}`)
  const notice = (tab: Page, text: string | RegExp) =>
    tab.locator('.ant-notification-notice').filter({ hasText: text }).first().waitFor()
  const titles = (tab: Page) => tab.locator('tbody tr.ant-table-row td:first-child').allInnerTexts()
  const save = (tab: Page) => tab.getByRole('button', { name: 'Save' }).click()
  const filled = async (tab: Page, title: string) => {
    await expect.poll(() => tab.getByLabel('Title').inputValue()).toBe(title)
  }
  const itemOf = (tab: Page, label: string): Locator => tab.locator('.ant-form-item').filter({ hasText: label })

  it('shows why a login is refused, and signs in', async () => {
    await page.getByPlaceholder('Email').fill('admin@example.test')
    await page.getByPlaceholder('●●●●●●●●').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await notice(page, 'Wrong e-mail or password')
    await page.getByPlaceholder('●●●●●●●●').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(() => titles(page)).toHaveLength(10)
  })

  it('searches, filters by one value of a table, and turns the order', async () => {
    await page.getByLabel('Search').fill('post 12')
    await page.getByLabel('Search').press('Enter')
    await expect.poll(async () => (await titles(page)).every((title) => title.startsWith('Post 12'))).toBe(true)
    const queries: string[] = []
    page.on('request', (request) => queries.push(request.url()))
    await page.locator('.ant-table-filter-trigger').click()
    await page.locator('.ant-table-filter-dropdown').getByLabel('news').check()
    await page.locator('.ant-table-filter-dropdown').getByRole('button', { name: 'Filter' }).click()
    await expect.poll(() => titles(page)).toEqual([
      'Post 120: news',
      'Post 124: news',
      'Post 128: news',
      'Post 12: news',
    ])
    expect(queries.some((url) => /[?&]category=news(&|$)/.test(url))).toBe(true)
    await page.getByRole('columnheader', { name: 'Title' }).click()
    await page.locator('th.ant-table-column-sort[aria-sort=ascending]').waitFor()
    await page.getByRole('columnheader', { name: 'Title' }).click()
    await expect.poll(async () => (await titles(page))[0]).toBe('Post 12: news')
  })

  it('shows the messages of fields at their fields', async () => {
    const tab = await open('/posts/create')
    await tab.getByLabel('Content').fill('text')
    await save(tab)
    await itemOf(tab, 'Title').locator('.ant-form-item-explain-error').waitFor()
    await tab.close()
  })

  it('searches the options of a select on the server', async () => {
    const tab = await open('/posts/create')
    const typed = tab.waitForRequest((request) => /\/admin\/users\?.*search=Ada/.test(request.url()))
    await tab.getByLabel('Author').click()
    await tab.getByLabel('Author').pressSequentially('Ada')
    await typed
    await tab.locator('.ant-select-item-option').filter({ hasText: 'Ada Admin' }).waitFor()
    await tab.close()
  })

  it('keeps the typed text after a 412, and sends it with the next save', async () => {
    const { title } = await postOf(3)
    const [first, second] = await Promise.all([open('/posts/edit/3'), open('/posts/edit/3')])
    await Promise.all([filled(first, title), filled(second, title)])
    await second.getByLabel('Title').fill('Changed in the second tab')
    await save(second)
    await expect.poll(async () => (await postOf(3)).title).toBe('Changed in the second tab')
    await first.getByLabel('Title').fill('Typed in the first tab')
    await save(first)
    await notice(first, 'The record was changed since you read it')
    await filled(first, 'Typed in the first tab')
    expect((await postOf(3)).title).toBe('Changed in the second tab')
    await save(first)
    await expect.poll(async () => (await postOf(3)).title).toBe('Typed in the first tab')
    await Promise.all([first.close(), second.close()])
  })

  it('changes one field of a record and leaves a change of another field by somebody else', async () => {
    const { title } = await postOf(5)
    const tab = await open('/posts/edit/5')
    await filled(tab, title)
    await tab.getByLabel('Title').fill('A new title')
    await save(tab)
    await notice(tab, 'Success')
    expect(await postOf(5)).toMatchObject({ title: 'A new title' })
    await tab.close()
  })

  it('creates and deletes a record', async () => {
    const tab = await open('/posts/create')
    await tab.getByLabel('Title').fill('0 first of all')
    await tab.getByLabel('Content').fill('text')
    for (const [label, choice] of [['Category', 'news'], ['Status', 'Draft'], ['Author', 'Ada Admin']] as const) {
      await tab.getByLabel(label).click()
      await tab.locator('.ant-select-item-option').filter({ hasText: choice }).filter({ visible: true }).click()
    }
    await save(tab)
    await expect.poll(async () => (await titles(tab))[0]).toBe('0 first of all')
    const row = tab.locator('tr.ant-table-row').filter({ hasText: '0 first of all' })
    await row.locator('button.ant-btn-dangerous').click()
    await tab.getByRole('button', { name: 'Delete' }).last().click()
    await expect.poll(() => titles(tab)).not.toContain('0 first of all')
    await tab.close()
  })

  it('threw no error in the browser', () => {
    expect(faults).toEqual([])
  })
})
