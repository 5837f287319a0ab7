import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { root, runProgram } from './support/processes.js'

describe('the main entry of the package', () => {
  let steps: Readonly<Record<string, readonly string[]>>
  beforeAll(() => {
    const { stdout, stderr } = spawnSync(process.execPath, [
      // tsx registers its hooks by a function that Node.js 26 has deprecated.
      '--disable-warning=DEP0205',
      '--import',
      'tsx',
      join(root, 'spec/support/main-entry.ts'),
    ], { cwd: root, encoding: 'utf8' })
    expect(stderr).toBe('')
    steps = JSON.parse(stdout) as typeof steps
  })

  it('loads Express, zod and http-errors, and no optional package', () => {
    expect(steps.served).toEqual(['express', 'http-errors', 'zod'])
  })

  it('loads jose with the first secret', () => {
    expect(steps.signed).toContain('jose')
    expect(steps.signed).not.toContain('multer')
  })

  it('loads multer and file-type with the first upload', () => {
    expect(steps.uploaded).toEqual(expect.arrayContaining(['file-type', 'multer']))
  })
})

describe('loading the package', () => {
  it('leaves nothing that a test runner takes for an open handle', () => {
    const code = `
      import { createHook } from 'node:async_hooks'
      const open = new Map()
      createHook({
        init(id, type, _trigger, resource) {
          const isOurs = new Error().stack.includes('/lib/')
          if (isOurs && type !== 'PROMISE' && !('hasRef' in resource && !resource.hasRef())) open.set(id, type)
        },
        destroy: (id) => open.delete(id),
      }).enable()
      for (const entry of ['index', 'crud', 'openapi', 'testing']) await import('./lib/entries/' + entry + '.ts')
      console.log(JSON.stringify([...open.values()]))`
    // The warning about the hooks of tsx would be written in a later tick.
    expect(JSON.parse(runProgram(code, { flags: ['--no-deprecation'] }).stdout)).toEqual([])
  })
})

describe('with `NODE_ENV=production`', () => {
  it('a 4xx with a message of this package has no stack trace, and every other error has one', () => {
    const code = `
      import { BusinessError, HttpError, NotFoundError, ValidationError } from './lib/core/base/errors.ts'
      const hasStack = (error) => error.stack.includes('\\n    at ')
      const errors = [new NotFoundError(), new ValidationError({}), new NotFoundError('Gone'), new BusinessError('No'),
        new HttpError(500, 'Broken'), new Error('Any')]
      console.log(JSON.stringify([errors.map(hasStack), new NotFoundError().stack, Error.stackTraceLimit]))`
    const results = ['production', 'development'].map((NODE_ENV) =>
      JSON.parse(runProgram(code, { env: { NODE_ENV } }).stdout) as [boolean[], string, number]
    )
    expect(results[0]).toEqual([[false, false, true, true, true, true], 'NotFoundError: Not found', 10])
    expect(results[1]?.[0]).toEqual([true, true, true, true, true, true])
  })
})
