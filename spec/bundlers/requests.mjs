import { deepEqual, equal, ok } from 'node:assert/strict'

/* The requests that every bundle is sent, with the replies that the package gives without a bundler. */

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const EMMA = { id: 1, title: 'Emma', since: '1970-01-01T00:00:00.000Z' }

/** @param {string} url of the program @param {boolean} hasCsv true if the packages for CSV are installed */
export async function checkReplies(url, hasCsv) {
  const ask = async (path, init = {}) => {
    const response = await fetch(url + path, init)
    const text = await response.text()
    return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
  }
  const json = (method, value) => ({
    method,
    body: typeof value === 'string' ? value : JSON.stringify(value),
    headers: { 'Content-Type': 'application/json' },
  })
  const form = (name, content, fileName, type) => {
    const body = new FormData()
    body.set(name, new Blob([content], { type }), fileName)
    return { method: 'POST', body }
  }
  const expectReply = async (path, init, status, data, meta) => {
    const reply = await ask(path, init)
    deepEqual([reply.status, reply.body?.code, reply.body?.data], [status, status, data], `${path}: ${reply.text}`)
    if (meta !== undefined) deepEqual(reply.body.meta, meta, path)
  }

  const two = { total: 2, page: 1, limit: 20 }
  await expectReply('/books', {}, 200, [EMMA, { id: 2, title: 'Ulysses', since: '1970-01-01T00:00:00.001Z' }], two)
  await expectReply('/books?limit=1&page=2', {}, 200, [{ id: 2, title: 'Ulysses', since: '1970-01-01T00:00:00.001Z' }],
    { total: 2, page: 2, limit: 1 })
  await expectReply('/books/1', {}, 200, EMMA, {})
  await expectReply('/inner', {}, 200, 200, {})
  await expectReply('/books/9', {}, 404, null, { reason: 'not_found' })
  await expectReply('/books/x', {}, 422, { id: ['Must be a whole number'] })
  await expectReply('/books', json('POST', { title: 'Persuasion' }), 201, { id: 3, title: 'Persuasion',
    since: '1970-01-01T00:00:00.002Z' })
  await expectReply('/books', json('POST', { title: 'P' }), 422, { title: ['Must have at least 2 characters'] })
  await expectReply('/books', json('POST', '{"title":'), 400, null, { reason: 'unreadable' })
  await expectReply('/books/1', { method: 'DELETE' }, 500, null, { reason: 'internal' })
  await expectReply('/formatted', {}, 200, [{ id: 1 }, { id: 2 }], two)
  await expectReply('/nowhere', {}, 404, null, { reason: 'not_found' })

  await expectReply('/notes?done=true', {}, 200, [{ id: 2, title: 'Tea', done: true }], { total: 1, page: 1,
    limit: 20 })
  await expectReply('/notes', json('POST', { title: 'Salt' }), 201, { id: 3, title: 'Salt', done: false })
  await expectReply('/notes/3', json('PATCH', { done: true }), 200, { id: 3, title: 'Salt', done: true })
  await expectReply('/notes?sort=-title&limit=1', {}, 200, [{ id: 2, title: 'Tea', done: true }], { total: 3, page: 1,
    limit: 1 })
  await expectReply('/notes?unknown=1', {}, 422, {
    unknown: ['Unknown parameter. Use cursor, done, ids, limit, page, search, sort'],
  })
  await expectReply('/notes/3', { method: 'DELETE' }, 200, null)
  const file = await ask('/notes/export')
  if (hasCsv) deepEqual([file.status, file.text.split('\r\n').length], [200, 4], file.text)
  else equal(file.status, 500, file.text)
  const imported = await ask('/notes/import', form('file', 'title,done\nRice,true\n', 'notes.csv', 'text/csv'))
  if (hasCsv) equal(imported.body.data.created, 1, imported.text)
  else equal(imported.status, 500, imported.text)

  await expectReply('/files', form('photo', PNG, 'a.png', 'image/png'), 200, { size: PNG.length, type: 'image/png' })
  await expectReply('/files', form('photo', 'no picture', 'a.png', 'image/png'), 415, null)

  const { body: { data: { token } } } = await ask('/login', { method: 'POST' })
  const headers = { Authorization: `Bearer ${token}` }
  await expectReply('/desk/tasks', { headers }, 200, [{ by: 1 }])
  await expectReply('/desk/tasks/1', { headers }, 403, null)
  await expectReply('/desk/tasks', {}, 401, null)
  const { body: document } = await ask('/openapi.json')
  ok(Object.keys(document.paths).includes('/notes/{id}'))
}
