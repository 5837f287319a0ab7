import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { MARIADB, POSTGRES, SQLITE } from './tables.mjs'

/** Makes a database with the tables, and returns its address and how to drop it. */
export const DATABASES = {
  postgres: async (project) => {
    const server = needed('TEST_POSTGRES_URL')
    const name = nameOf(project)
    await withPostgres(server, `create database ${name}`)
    const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
    await withPostgres(url, POSTGRES)
    return { url, drop: () => withPostgres(server, `drop database if exists ${name} with (force)`) }
  },
  mariadb: async (project) => {
    const server = needed('TEST_MARIADB_URL')
    const name = nameOf(project)
    await withMariaDb(server, `create database ${name}`)
    const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
    await withMariaDb(url, MARIADB)
    return { url, drop: () => withMariaDb(server, `drop database if exists ${name}`) }
  },
  sqlite: (project, scratch) => {
    const url = join(scratch, `${project}.sqlite`)
    const database = new Sqlite(url)
    database.exec(SQLITE)
    database.close()
    return { url, drop: () => undefined }
  },
}

function needed(variable) {
  const value = process.env[variable]
  if (value === undefined) throw new Error(`${variable} is not set: .ci/with-databases npm run test:add`)
  return value
}

function nameOf(project) {
  return `add_${project.replaceAll('-', '_')}_${process.pid}`
}

async function withPostgres(connectionString, text) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

async function withMariaDb(uri, text) {
  const connection = await mysql.createConnection({ uri, multipleStatements: true })
  await connection.query(text).finally(() => connection.end())
}
