import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Post, User } from '../src/records.ts'
import { PASSWORD, startBlog, type Blog } from './blog.ts'

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const PICTURE = fileURLToPath(new URL('../panel.png', import.meta.url))

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let blog: Blog
let browser: Browser
const faults: string[] = []

beforeAll(async () => {
  ;[blog, browser] = await Promise.all([
    startBlog(),
    chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS }),
  ])
})
afterAll(async () => {
  await browser.close()
  await blog.stop()
})

const postOf = (id: number): Promise<Post> => blog.send('GET', `/posts/${id}`)

async function open(): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 600 },
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto(blog.panel)
  return page
}

async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password *').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function signedIn(email: string): Promise<Page> {
  const page = await open()
  await signIn(page, email)
  await page.getByRole('cell', { name: 'Post 200: news' }).waitFor()
  return page
}

const go = (page: Page, path: string) => page.goto(`${blog.panel}#${path}`)
const listed = (filter: object) =>
  String(new URLSearchParams({ filter: JSON.stringify(filter), sort: 'title', order: 'ASC', page: '1', perPage: '25' }))
const menuOf = (page: Page) => page.getByRole('menu').getByRole('menuitem').allInnerTexts()
const column = (page: Page, name: string) => page.locator(`tbody .column-${name}`).allInnerTexts()
const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text })
const formOf = (page: Page): Locator =>
  page.locator('form').filter({ has: page.getByRole('button', { name: 'Save', exact: true }) })
const field = (page: Page, label: string): Locator => formOf(page).getByLabel(label, { exact: true })
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()
/** Waits until a form that was saved has made room for the list. */
const leftFor = (page: Page, list: string) =>
  page.waitForURL(({ hash }) => hash === `#${list}` || hash.startsWith(`#${list}?`))
const notice = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor()

/** Changes what the panel reads about its user, and nothing on the server. */
async function pretendToBeAdmin(page: Page): Promise<void> {
  await page.route('**/admin/me', async (route) => {
    const reply = await route.fetch()
    const { data, ...others } = await reply.json() as { data: object }
    await route.fulfill({ json: { ...others, data: { ...data, role: 'admin' } } })
  })
}

/** Returns the message below an input. */
async function messageAt(input: Locator): Promise<string> {
  const id = await input.getAttribute('aria-describedby')
  return await input.getAttribute('aria-invalid') === 'true' ? input.page().locator(`[id="${id}"]`).innerText() : ''
}

async function choose(page: Page, label: string, choice: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).click()
  await page.getByRole('option', { name: choice, exact: true }).click()
}

describe('the panel of an admin', () => {
  let page: Page
  beforeAll(async () => {
    page = await open()
  })

  it('refuses a wrong password, and lists the posts for the right one', async () => {
    await signIn(page, 'admin@example.test', 'wrong')
    await notice(page, 'Wrong e-mail or password')
    await signIn(page, 'admin@example.test')
    await expect.poll(() => column(page, 'title')).toEqual(
      Array.from({ length: 10 }, (_, index) => expect.stringMatching(`^Post ${200 - index}: `) as string),
    )
    await expect.poll(() => column(page, 'authorId')).toContain('Ada Admin')
    expect(await column(page, 'createdAt')).toContain('13 Jan 2026, 12:00')
    expect(await column(page, 'status')).toEqual(expect.arrayContaining(['Draft', 'Published']))
    expect(await menuOf(page)).toEqual(['Posts', 'Deleted posts', 'Users'])
    if (process.env.PICTURE) await takePicture(page)
  })

  it('sorts, turns pages, searches and filters', async () => {
    await page.getByRole('button', { name: 'Title' }).click()
    await expect.poll(() => column(page, 'title')).toEqual(
      Array.from({ length: 10 }, (_, index) => expect.stringMatching(`^Post ${100 + index}: `) as string),
    )
    await page.getByLabel('Go to page 2', { exact: true }).click()
    await expect.poll(() => column(page, 'title')).toContain('Post 110: opinion')
    await page.getByPlaceholder('Search').fill('post 12')
    await page.getByText('1-10 of 11').waitFor()
    await choose(page, 'Category', 'news')
    await expect.poll(() => column(page, 'title')).toEqual([
      'Post 120: news',
      'Post 124: news',
      'Post 128: news',
      'Post 12: news',
    ])
    await choose(page, 'Status', 'Draft')
    await expect.poll(() => column(page, 'title')).toEqual(['Post 120: news', 'Post 12: news'])
  })

  it('saves a post that was changed', async () => {
    await rowOf(page, 'Post 120: news').getByText('Post 120').click()
    await field(page, 'Title').fill('«Ünïcödé» 日本語 🧪')
    await field(page, 'Status').click()
    await page.getByRole('option', { name: 'Published' }).click()
    await save(page)
    await notice(page, 'Element updated')
    await leftFor(page, '/posts')
    expect(await postOf(120)).toMatchObject({ title: '«Ünïcödé» 日本語 🧪', status: 1, category: 'news' })
  })

  it('shows the message of the server at the field', async () => {
    const before = await postOf(130)
    await go(page, '/posts/130')
    const title = field(page, 'Title')
    await title.fill('')
    await field(page, 'Category').fill('c'.repeat(51))
    await save(page)
    await expect.poll(() => messageAt(title)).toBe('A title is needed')
    expect(await messageAt(field(page, 'Category'))).toBe('Must have at most 50 characters')
    expect(await messageAt(field(page, 'Content'))).toBe('')
    expect(await postOf(130)).toEqual(before)
    await title.fill('A title')
    await field(page, 'Category').fill('news')
    await save(page)
    await leftFor(page, '/posts')
    expect((await postOf(130)).title).toBe('A title')
  })

  it('merges a change with that of another user in other fields', async () => {
    await go(page, '/posts/140')
    await field(page, 'Content').fill('My content')
    await blog.send('PATCH', '/posts/140', { title: 'Their title', content: 'Their content', status: 0 })
    await save(page)
    const dialog = page.getByRole('dialog', { name: 'Somebody else has changed this record' })
    await dialog.waitFor()
    const cells = async () =>
      (await dialog.locator('tbody tr').allInnerTexts()).map((text) => text.split(/\s*\t\s*/)).sort()
    expect(await cells()).toEqual([['Content', 'Their content', 'My content'], ['Status', 'Draft', '–'], [
      'Title',
      'Their title',
      '–',
    ]])
    await blog.send('PATCH', '/posts/140', { title: 'Their newest title' })
    await dialog.getByRole('button', { name: 'Keep mine and save' }).click()
    await dialog.getByText('Their newest title').waitFor()
    expect(await postOf(140)).toMatchObject({ content: 'Their content' })
    await dialog.getByRole('button', { name: 'Keep mine and save' }).click()
    await leftFor(page, '/posts')
    expect(await postOf(140)).toMatchObject({ title: 'Their newest title', content: 'My content', status: 0 })
  })

  it('discards a change and reloads the post that another user has changed', async () => {
    await go(page, '/posts/141')
    const title = field(page, 'Title')
    await title.fill('My title')
    await blog.send('PATCH', '/posts/141', { title: 'Their title' })
    await save(page)
    await page.getByRole('button', { name: 'Discard mine and reload' }).click()
    await expect.poll(() => title.inputValue()).toBe('Their title')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await title.fill('My title after theirs')
    await save(page)
    await leftFor(page, '/posts')
    expect(await postOf(141)).toMatchObject({ title: 'My title after theirs' })
  })

  it('asks about a conflict on the page of its record only', async () => {
    await go(page, '/posts/142')
    await field(page, 'Title').fill('My title')
    await blog.send('PATCH', '/posts/142', { title: 'Their title' })
    await save(page)
    await page.getByRole('dialog').waitFor()
    await go(page, '/posts/143')
    await expect.poll(() => field(page, 'Title').inputValue()).toBe('Post 143: release')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('creates a post', async () => {
    await go(page, '/posts/create')
    await field(page, 'Title').fill('A new post')
    await field(page, 'Content').fill('With a content')
    await save(page)
    await leftFor(page, '/posts')
    expect(await blog.send('GET', '/posts?search=A+new+post')).toMatchObject([{
      title: 'A new post',
      content: 'With a content',
      category: 'general',
      status: 1,
      authorId: 1,
    }])
    await go(page, `/posts?${listed({ q: 'a new' })}`)
    await expect.poll(() => column(page, 'title')).toEqual(['A new post'])
  })

  it('deletes several posts, and restores them one by one or together', async () => {
    const titles = ['Post 151: release', 'Post 152: news', 'Post 153: how-to']
    await go(page, `/posts?${listed({ q: 'Post 15' })}`)
    for (const title of titles) await rowOf(page, title).getByRole('checkbox').click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Confirm' }).click()
    await expect.poll(() => column(page, 'title')).not.toContain(titles[0])
    await page.getByRole('menuitem', { name: 'Deleted posts' }).click()
    await expect.poll(async () => (await column(page, 'title')).sort()).toEqual(titles)
    await rowOf(page, 'Post 152').getByRole('button', { name: 'Restore' }).click()
    await notice(page, 'Post restored')
    await expect.poll(async () => (await column(page, 'title')).sort()).toEqual([titles[0], titles[2]])
    await page.getByLabel('Select all', { exact: true }).click()
    await page.locator('button:not(td button)', { hasText: 'Restore' }).click()
    await notice(page, '2 posts restored')
    await page.getByText('No post is deleted').waitFor()
    for (const id of [151, 152, 153]) expect(await postOf(id)).toMatchObject({ id })
  })

  it('lists, searches and changes users, and shows why one is not deleted', async () => {
    await page.getByRole('menuitem', { name: 'Users' }).click()
    await expect.poll(() => column(page, 'name')).toContain('Ada Admin')
    await page.getByRole('button', { name: 'Name' }).click()
    await expect.poll(async () => (await column(page, 'name'))[0]).toBe('Ursula User')
    await page.getByPlaceholder('Search').fill('hugo')
    await choose(page, 'Status', 'Inactive')
    await expect.poll(() => column(page, 'name')).toEqual(['Hugo Abbott'])
    await page.getByRole('cell', { name: 'Hugo Abbott' }).click()
    await field(page, 'Age').fill('17')
    await save(page)
    await expect.poll(() => messageAt(field(page, 'Age'))).toBe('An age is 18 or more')
    await field(page, 'Age').fill('18')
    await field(page, 'Name').fill('Hugo Old Enough')
    await save(page)
    await leftFor(page, '/users')
    expect(await blog.send('GET', '/users/7')).toMatchObject({ name: 'Hugo Old Enough', age: 18, status: 0 })
    await go(page, '/users/7')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Confirm' }).click()
    await notice(page, 'Somebody who still has posts cannot be deleted')
  })

  it('creates a user once the address is not in use', async () => {
    await go(page, '/users/create')
    await field(page, 'Name').fill('Nina New')
    await field(page, 'E-mail').fill('admin@example.test')
    await save(page)
    await expect.poll(() => messageAt(field(page, 'E-mail'))).toBe('This e-mail address is taken')
    await field(page, 'E-mail').fill('nina@example.test')
    await save(page)
    await leftFor(page, '/users')
    expect(await blog.send('GET', '/users?search=Nina')).toMatchObject([{
      name: 'Nina New',
      email: 'nina@example.test',
      age: null,
      status: 1,
      avatarUrl: null,
    }])
  })

  it('uploads an avatar, and shows at the field why a file is refused', async () => {
    await go(page, '/users/8')
    const input = page.locator('input[type=file]')
    await input.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: Buffer.from('no picture at all') })
    await save(page)
    await page.locator('.ra-input-avatar').getByText('avatar must be image/jpeg or image/png, not text/plain').waitFor()
    expect((await blog.send<User>('GET', '/users/8')).avatarUrl).toBeNull()
    await input.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: PNG })
    await save(page)
    await leftFor(page, '/users')
    const { avatarUrl } = await blog.send<User>('GET', '/users/8')
    expect(avatarUrl).toMatch(/^\/uploads\/.+\.png$/)
    const picture = await fetch(`${blog.url}${String(avatarUrl)}`)
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(PNG)
    await go(page, '/users/8')
    expect(await page.getByRole('img', { name: /^Avatar of/ }).getAttribute('src')).toBe(avatarUrl)
  })

  it('continues the user that was created without a refused file', async () => {
    await go(page, '/users/create')
    await field(page, 'Name').fill('Carla Continued')
    await field(page, 'E-mail').fill('carla@example.test')
    const input = page.locator('input[type=file]')
    await input.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: Buffer.from('no picture at all') })
    await save(page)
    await page.locator('.ra-input-avatar').getByText('avatar must be image/jpeg or image/png, not text/plain').waitFor()
    await field(page, 'Age').fill('44')
    await input.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: PNG })
    await save(page)
    await leftFor(page, '/users')
    expect(await blog.send('GET', '/users?search=Carla')).toMatchObject([{
      name: 'Carla Continued',
      age: 44,
      avatarUrl: expect.stringMatching(/^\/uploads\/.+\.png$/) as string,
    }])
  })

  it('exports the filtered rows of a list', async () => {
    await go(page, `/posts?${listed({ category: 'release' })}`)
    await expect.poll(async () => new Set(await column(page, 'category'))).toEqual(new Set(['release']))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
    const { length } = await blog.send<Post[]>('GET', '/posts?category=release&limit=100')
    expect(length).toBeGreaterThan(25)
    expect(lines[0]).toContain('title')
    expect(lines.slice(1).filter((line) => line.includes('release'))).toHaveLength(length)
  })
})

describe('the panel of an editor', () => {
  let page: Page
  beforeAll(async () => {
    page = await signedIn('editor@example.test')
  })

  it('offers neither deleted posts nor changes of users', async () => {
    expect(await menuOf(page)).toEqual(['Posts', 'Users'])
    await page.getByRole('menuitem', { name: 'Users' }).click()
    await expect.poll(() => column(page, 'name')).toContain('Ada Admin')
    expect(await page.getByRole('checkbox').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Create' }).count()).toBe(0)
    for (const path of ['/users/1', '/users/create', '/deleted-posts']) {
      await go(page, path)
      await page.getByText('Access denied').waitFor()
    }
  })

  it('offers changes of own posts only', async () => {
    await go(page, `/posts?${listed({ q: 'Post 18' })}`)
    await page.getByRole('link', { name: 'Create' }).waitFor()
    await expect.poll(() => rowOf(page, 'Post 181').getByRole('checkbox').isEnabled()).toBe(true)
    expect(await rowOf(page, 'Post 182').getByRole('checkbox').isEnabled()).toBe(false)
    await page.getByRole('cell', { name: 'Post 182: opinion' }).click()
    await page.getByText('What there is to say about opinion').waitFor()
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
    await page.goBack()
    await page.getByRole('cell', { name: 'Post 181: how-to' }).click()
    await field(page, 'Title').fill('Edited by its author')
    await save(page)
    await leftFor(page, '/posts')
    expect((await postOf(181)).title).toBe('Edited by its author')
  })

  it('shows the post of another user in place of its form', async () => {
    await go(page, '/posts/182')
    await page.waitForURL(({ hash }) => hash === '#/posts/182/show')
    await page.getByText('What there is to say about opinion').waitFor()
    expect(await formOf(page).count()).toBe(0)
  })

  it('shows the refusal of the server for the post of another user', async () => {
    const before = await postOf(182)
    await pretendToBeAdmin(page)
    await page.reload()
    await go(page, '/posts/182')
    await field(page, 'Title').fill('Taken over')
    await save(page)
    await notice(page, 'Only the author or an admin may do this')
    await page.unroute('**/admin/me')
    expect(await postOf(182)).toEqual(before)
  })
})

describe('the panel of a reader', () => {
  it('offers only reading posts', async () => {
    const page = await signedIn('user@example.test')
    expect(await menuOf(page)).toEqual(['Posts'])
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Title', 'Category', 'Status', 'Created'])
    expect(await page.getByRole('checkbox').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Create' }).count()).toBe(0)
    await page.getByRole('cell', { name: 'Post 200: news' }).click()
    await page.getByText('What there is to say about news').waitFor()
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
    for (const path of ['/posts/200', '/posts/create', '/users', '/deleted-posts']) {
      await go(page, path)
      await page.getByText('Access denied').waitFor()
    }
  })

  it('shows the refusal of the server for a change that was offered by manipulation', async () => {
    const before = await postOf(200)
    const page = await open()
    await page.route(
      '**/admin/permissions',
      (route) => route.fulfill({ json: { code: 200, message: 'ok', data: [], meta: { granted: ['*'] } } }),
    )
    await pretendToBeAdmin(page)
    await signIn(page, 'user@example.test')
    await page.getByRole('link', { name: 'Create' }).waitFor()
    await go(page, '/posts/200')
    await field(page, 'Title').fill('Forced')
    await save(page)
    await notice(page, 'Permission denied')
    expect(await postOf(200)).toEqual(before)
  })

  it('signs out', async () => {
    const page = await signedIn('user@example.test')
    await page.getByRole('button', { name: 'Profile' }).click()
    await page.getByRole('menuitem', { name: 'Logout' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await go(page, '/posts')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate(() => localStorage.getItem('resourcery:/admin'))).toBeNull()
  })
})

describe('the panel on a phone', () => {
  it('fits 390 pixels', async () => {
    const page = await signedIn('admin@example.test')
    await page.setViewportSize({ width: 390, height: 800 })
    const paths = ['/posts', '/posts/190', '/posts/190/show', '/posts/create', '/deleted-posts', '/users', '/users/8']
    for (const path of paths) {
      await go(page, path)
      await page.waitForLoadState('networkidle')
      expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, 390])
    }
  })
})

describe('the page of the panel', () => {
  it('throws no error during these tests', () => {
    expect(faults).toEqual([])
  })
})

/** Writes the picture of the docs, without a row below the pointer. */
async function takePicture(page: Page): Promise<void> {
  await page.mouse.move(600, 590)
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: PICTURE, animations: 'disabled' })
}
