import { randomBytes } from 'node:crypto'

/** The settings that the environment decides. */
export interface Config {
  /** 0 picks a free one. */
  readonly port: number
  readonly host: string
  /** Where the rows are: a real server, or an embedded PostgreSQL in a folder or (without one) in memory. */
  readonly database: DatabaseConfig
  /** The library that keeps the rows of `crud` resources. */
  readonly store: StoreLibrary
  /** Where uploads are kept; absent, in a temporary folder. */
  readonly uploadFolder: string | undefined
  /** A folder with an admin panel that was built. */
  readonly panelFolder: string | undefined
  /** True if the application for DuxLite's client is mounted. */
  readonly dux: boolean
  /** Signs the tokens of all applications. */
  readonly secret: string
}

export const STORE_LIBRARIES = ['kysely', 'drizzle', 'knex', 'prisma', 'typeorm', 'sequelize'] as const
export type StoreLibrary = (typeof STORE_LIBRARIES)[number]

export type DatabaseConfig =
  | { readonly kind: 'postgres' | 'mysql'; readonly url: string }
  | { readonly kind: 'embedded'; readonly folder: string | undefined }

/** The environment says something that cannot be meant; the message is for whoever started the program. */
export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads `PORT`, `HOST`, `DATABASE_URL`, `DATA_DIR`, `STORE`, `UPLOAD_DIR`, `PANEL_DIR`, `DUX` and `AUTH_SECRET`; a
 * variable that is empty counts as absent.
 *
 * @throws ConfigError when one of them cannot be used.
 */
export function readConfig(env: Environment): Config {
  const {
    PORT = '3000',
    HOST = '127.0.0.1',
    DATABASE_URL,
    DATA_DIR,
    STORE = 'kysely',
    UPLOAD_DIR,
    PANEL_DIR,
    DUX = 'off',
    AUTH_SECRET,
    NODE_ENV,
  } = withoutBlanks(env)
  return {
    port: readPort(PORT),
    host: HOST,
    database: DATABASE_URL === undefined ? { kind: 'embedded', folder: DATA_DIR } : readDatabaseUrl(DATABASE_URL),
    store: readStore(STORE),
    uploadFolder: UPLOAD_DIR,
    panelFolder: PANEL_DIR,
    dux: readSwitch('DUX', DUX),
    secret: AUTH_SECRET === undefined ? makeSecret(NODE_ENV) : readSecret(AUTH_SECRET),
  }
}

function withoutBlanks(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (port <= 65_535) return port
  throw new ConfigError(`PORT is a whole number from 0 to 65535, not "${text}".`)
}

const SCHEMES: Readonly<Record<string, 'postgres' | 'mysql' | undefined>> = {
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
  'mysql:': 'mysql',
}

function readDatabaseUrl(url: string): DatabaseConfig {
  const kind = URL.canParse(url) ? SCHEMES[new URL(url).protocol] : undefined
  // The value stays out of the message: it holds a password.
  if (kind === undefined) throw new ConfigError('DATABASE_URL is a URL that begins with postgres:// or mysql://.')
  return { kind, url }
}

function readStore(name: string): StoreLibrary {
  const library = STORE_LIBRARIES.find((known) => known === name)
  if (library !== undefined) return library
  throw new ConfigError(`STORE is one of ${STORE_LIBRARIES.join(', ')}, not "${name}".`)
}

function readSwitch(name: string, value: string): boolean {
  if (value === 'on' || value === 'off') return value === 'on'
  throw new ConfigError(`${name} is on or off, not "${value}".`)
}

const SECRET_BYTES = 32

function readSecret(secret: string): string {
  if (Buffer.byteLength(secret) >= SECRET_BYTES) return secret
  throw new ConfigError(`AUTH_SECRET is too short: it needs ${SECRET_BYTES} bytes or more.`)
}

function makeSecret(mode: string | undefined): string {
  if (mode !== 'production') return randomBytes(SECRET_BYTES).toString('base64url')
  throw new ConfigError('AUTH_SECRET is missing: in production the tokens need a secret that outlives a restart.')
}
