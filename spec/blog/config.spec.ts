import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../samples/blog/config.js'

const LONG = 'x'.repeat(32)

describe('the configuration of the blog', () => {
  it('has a default for everything', () => {
    const config = readConfig({})
    expect(config).toEqual({
      port: 3000,
      host: '127.0.0.1',
      database: { kind: 'embedded', folder: undefined },
      store: 'kysely',
      uploadFolder: undefined,
      panelFolder: undefined,
      dux: false,
      secret: expect.any(String) as string,
    })
    expect(Buffer.byteLength(config.secret)).toBeGreaterThanOrEqual(32)
    expect(readConfig({}).secret).not.toBe(config.secret)
  })

  it('reads set variables, and treats blank ones as absent', () => {
    expect(
      readConfig({
        PORT: '0',
        HOST: '::1',
        DATA_DIR: '/data',
        STORE: 'knex',
        UPLOAD_DIR: '/up',
        PANEL_DIR: '/panel',
        DUX: 'on',
        AUTH_SECRET: LONG,
        NODE_ENV: 'production',
      }),
    )
      .toEqual({
        port: 0,
        host: '::1',
        database: { kind: 'embedded', folder: '/data' },
        store: 'knex',
        uploadFolder: '/up',
        panelFolder: '/panel',
        dux: true,
        secret: LONG,
      })
    expect(readConfig({ PORT: '', HOST: ' ', DATABASE_URL: '', DATA_DIR: '', AUTH_SECRET: '' })).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      database: { kind: 'embedded', folder: undefined },
    })
  })

  it.each([
    ['postgres://u:p@db.test:5432/blog', 'postgres'],
    ['postgresql://db.test/blog', 'postgres'],
    ['mysql://u:p@db.test/blog', 'mysql'],
  ])('connects to %s with the driver of %s, whatever DATA_DIR contains', (url, kind) => {
    expect(readConfig({ DATABASE_URL: url, DATA_DIR: '/data' }).database).toEqual({ kind, url })
  })

  it.each(['65536', '-1', '80a', '1e3', '3000.5', '٣'])('refuses the port %s', (PORT) => {
    expect(() => readConfig({ PORT })).toThrow(
      new ConfigError(`PORT is a whole number from 0 to 65535, not "${PORT}".`),
    )
  })

  it.each(['sqlite://x', 'localhost', 'http://db.test/blog', 'postgres'])(
    'refuses the database %s without repeating it',
    (DATABASE_URL) => {
      expect(() => readConfig({ DATABASE_URL })).toThrow(
        /^DATABASE_URL is a URL that begins with postgres:\/\/ or mysql:\/\/\.$/,
      )
    },
  )

  it('mounts the third application only for `on`', () => {
    expect([readConfig({ DUX: 'off' }).dux, readConfig({ DUX: '' }).dux, readConfig({ DUX: 'on' }).dux]).toEqual([
      false,
      false,
      true,
    ])
    expect(() => readConfig({ DUX: 'yes' })).toThrow(new ConfigError('DUX is on or off, not "yes".'))
  })

  it('refuses an unknown store', () => {
    expect(() => readConfig({ STORE: 'nosql' })).toThrow(/^STORE is one of kysely, .+, not "nosql"\.$/)
  })

  it('refuses a short secret, and a missing one in production', () => {
    expect(() => readConfig({ AUTH_SECRET: 'short' })).toThrow('AUTH_SECRET is too short')
    expect(() => readConfig({ NODE_ENV: 'production' })).toThrow('AUTH_SECRET is missing')
    expect(() => readConfig({ NODE_ENV: 'production', AUTH_SECRET: '' })).toThrow('AUTH_SECRET is missing')
  })
})
