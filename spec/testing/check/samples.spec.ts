import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkApi } from 'resourcery/testing'
import { helpDesk } from '../../../samples/help-desk/app.js'
import { openDatabase } from '../../../samples/help-desk/database.js'
import { startBlog } from '../../support/blog.js'
import { SECONDS } from './seconds.js'

/** Seconds for each sample. */
const budget = Number(process.env.CHECK_SECONDS ?? SECONDS)

describe('checkApi on the samples', () => {
  it('finds nothing in the blog', async () => {
    const { app, close } = await startBlog()
    onTestFinished(close)
    const callers = { admin: { id: 1, role: 'admin' }, editor: { id: 2, role: 'editor' }, user: { id: 3 } }
    const report = await checkApi(app, { callers, budget, timeout: 20 })
    expect(report.findings, String(report)).toEqual([])
  })

  it('finds nothing in the help desk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'check-help-desk-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const db = await openDatabase('a password of the specs')
    onTestFinished(() => db.destroy())
    const callers = { lead: { id: 1, role: 'lead' }, agent: { id: 2, role: 'agent' } }
    const examples = { 'desk.tickets.create': { body: { team: 'hardware' } } }
    const app = helpDesk(db, { secret: new Uint8Array(32).fill(1), folder })
    const report = await checkApi(app, { callers, examples, budget, timeout: 20 })
    expect(report.findings, String(report)).toEqual([])
  })
})
