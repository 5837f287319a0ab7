import { expect, it } from 'vitest'
import { doctor } from '../../lib/tools/doctor.js'
import { startBlog, STARTING } from '../support/blog.js'

it('resourcery doctor finds what the blog means: two handlers for every signed-in caller, and the secret of the specs',
  async () => {
    const blog = await startBlog()
    try {
      const { findings } = await doctor(blog.app)
      expect(findings.map(({ code, message }) => `${code}: ${message.split(' is ')[0] ?? ''}`)).toEqual([
        expect.stringMatching(/^secret_guessable: .*admin/),
        expect.stringMatching(/^secret_guessable: .*shop/),
        'handler_undeclared: GET /admin/me',
        'handler_undeclared: GET /admin/permissions',
      ])
    } finally {
      await blog.close()
    }
  }, STARTING)
