import { PGlite } from '@electric-sql/pglite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { logged } from './support/logged.js'

const SECRET = 'ada@secret.example'

describe('the default log', () => {
  it('shows no value of an error of PostgreSQL', async () => {
    const database = await PGlite.create()
    onTestFinished(() => database.close())
    await database.exec('create table users (email text unique, age int check (age > 18))')
    const insert = 'insert into users (email, age) values ($1, $2)'
    await database.query(insert, [SECRET, 20])
    const raising = "raise exception 'No credit for %', new.email using errcode = 'CR001'"
    await database.exec(`create function refuse() returns trigger language plpgsql as
      $$ begin if new.age = 99 then ${raising}; end if; assert new.age < 90, new.email; return new; end $$`)
    await database.exec('create trigger refuse before insert on users for each row execute function refuse()')
    for (const [statement, values] of [
      [insert, [SECRET, 30]],
      [insert, ['secret', 1]],
      [insert, ['secret', 99]],
      [insert, ['secret', 98]],
      [`select '${SECRET}'::int`, []],
      [`select "${SECRET}"`, []],
      [`select $1::text::int`, [SECRET]],
    ] as const) {
      const error: unknown = await database.query(statement, [...values]).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(Error)
      expect(await logged(error)).not.toContain('secret')
    }
  })
})
