import request from 'supertest'
import { inject } from 'resourcery/testing'
import { createApp } from '../src/app'
import * as users from '../src/users'

const app = createApp()

test('the routes of the application reply as before', async () => {
  await request(app).get('/health').expect(200, { ok: true })
  const broken = await request(app).post('/health').set('Content-Type', 'application/json').send('{').expect(400)
  expect(Object.keys(broken.body)).toEqual(['error'])
})

test('the resource replies in the envelope', async () => {
  const refused = await request(app).get('/api/notes').expect(401)
  expect(refused.body).toEqual({
    code: 401,
    message: 'Authentication required',
    data: null,
    meta: { reason: 'token_missing' },
  })
  const created = await request(app).post('/api/notes').set('X-User', 'ann').send({ title: 'Milk' }).expect(201)
  expect(created.body.data).toEqual({ id: 1, title: 'Milk', done: false })
  await request(app).post('/api/notes').set('X-User', 'ben').send({ title: 'Milk' }).expect(403)
  const invalid = await request(app).post('/api/notes').set('X-User', 'ann').send({ title: '' }).expect(422)
  expect(invalid.body.data).toEqual({ title: ['Must have at least 1 character'] })
})

test('spies of Jest are called', async () => {
  const spy = jest.spyOn(users, 'findUser').mockReturnValue({ id: 3, name: 'cleo', role: 'staff' })
  await request(app).get('/api/notes').expect(200)
  spy.mockRestore()
  await request(app).get('/api/notes').expect(401)
})

test('inject needs no port', async () => {
  expect(await inject(app, { method: 'GET', path: '/api/notes/1', as: { id: 1, role: 'staff' } })).toMatchObject({
    status: 200,
    json: { data: { title: 'Milk' } },
  })
})
