import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { filesFor } from '../../lib/tools/add/add.js'

const SCHEMA = `
enum Genre {
  novel
  essay
}
model Author {
  id   Int    @id @default(autoincrement())
  name String @db.VarChar(80)
  books Book[]
}
model Book {
  id       String   @id @default(uuid())
  isbn     String   @unique @db.Char(13)
  genre    Genre    @default(novel)
  price    Decimal  @db.Decimal(8, 2)
  born     DateTime? @db.Date
  authorId Int
  author   Author   @relation(fields: [authorId], references: [id])
  password String?
  @@map("books")
}
model Pair {
  a Int
  b Int
  @@id([a, b])
}
`

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'resourcery-add-'))
  for (const folder of ['src', 'prisma', 'test']) mkdirSync(join(root, folder))
  writeFileSync(join(root, 'prisma/schema.prisma'), SCHEMA)
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', devDependencies: { vitest: '4' } }))
  writeFileSync(join(root, 'tsconfig.json'), '{ "compilerOptions": { "module": "nodenext" } }')
  writeFileSync(join(root, 'src/database.ts'), 'export const prisma = new PrismaClient({ adapter })\n')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const options = { from: undefined, route: undefined, app: undefined }

async function add(name: string, given: object = {}): Promise<readonly string[]> {
  const files = await filesFor(root, name, { ...options, ...given }, () => Promise.resolve({}))
  return typeof files === 'string' ? [files] : files.flatMap(({ path, text }) => [path, text])
}

describe('resourcery add', () => {
  it('turns lengths, enums, nulls, unique fields and foreign keys of a model into options', async () => {
    const [file, text = '', test, testText = ''] = await add('Book')
    expect([file, test]).toEqual(['src/books.ts', 'test/books.test.ts'])
    expect(text).toContain("prismaStore(prisma, 'book', { columns: { price: 'decimal', born: 'calendarDate' } })")
    expect(text).toContain('isbn: z.string().max(13),')
    expect(text).toContain("genre: z.enum(['novel', 'essay']).default('novel'),")
    expect(text).toContain('price: param.decimal({ scale: 2 }),')
    expect(text).toContain('born: param.calendarDate().nullable().default(null),')
    expect(text).toContain("books_isbn_key: { field: 'isbn', message: 'Already taken' },")
    expect(text).toContain('authorId: false, // Author has no resource: every row')
    expect(text.match(/password/g)).toHaveLength(1)
    expect(testText).toContain("import { afterAll, expect, test } from 'vitest'")
  })

  it('refers to the resource in the file beside it, where there is one', async () => {
    writeFileSync(join(root, 'src/authors.ts'), 'export const authors = crud(store, {})\n')
    const [, text] = await add('books')
    expect(text).toContain("import { authors } from './authors.js'")
    expect(text).toContain('authorId: authors,')
  })

  it('puts the resource into an application, under the path that is given', async () => {
    const [, text, , test] = await add('Author', { app: 'shop', route: '/writers' })
    expect(text).toContain("app: 'shop', route: '/writers', name: 'authors'")
    expect(test).toContain("permission('shop', { roles: { admin: ['*'] } })")
  })

  it('writes CommonJS for a project of that form, and tests for node:test', async () => {
    rmSync(join(root, 'src/database.ts'))
    rmSync(join(root, 'tsconfig.json'))
    writeFileSync(join(root, 'package.json'), '{}')
    writeFileSync(join(root, 'src/database.js'), 'export const prisma = new PrismaClient({ adapter })\n')
    const [file, text, , test] = await add('Author')
    expect(file).toBe('src/authors.js')
    expect(text).toContain("const { crud } = require('resourcery/crud')")
    expect(text).toContain('module.exports = { authors, mountAuthors }')
    expect(test).toContain("const assert = require('node:assert/strict')")
  })

  it('explains why a table cannot have a resource, and changes no file', async () => {
    const before = readFileSync(join(root, 'prisma/schema.prisma'), 'utf8')
    expect((await add('Pair'))[0]).toContain('a primary key of several columns (a, b)')
    expect((await add('Nothing'))[0]).toContain('Name the module that exports it with --from')
    expect(readFileSync(join(root, 'prisma/schema.prisma'), 'utf8')).toBe(before)
    expect(existsSync(join(root, 'src/pairs.ts'))).toBe(false)
  })
})
