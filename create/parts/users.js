/** Writes the sign-in: users, their passwords, registration and login. */
export function userFiles(context) {
  if (!context.auth) return {}
  const { ext, ts, isTs, when } = context
  return {
    [`src/passwords.${ext}`]: passwords(context),
    [`src/users.${ext}`]: `${USERS[context.hasDatabase ? context.library : 'memory'](context).trimStart()}`,
    [`src/session.${ext}`]: `${when(isTs, "import type { Express } from 'express'\n")}\
import { ConflictError, issueToken, mountRoutes, UnauthorizedError } from 'resourcery'
import { z } from 'zod'
import { secret } from './config.js'
import { hashPassword, isPassword } from './passwords.js'
import { addUser, findUser } from './users.js'

const credentials = z.object({ email: z.email().max(200), password: z.string().min(10).max(200) })

/** Adds POST /register and POST /login, which are public. */
export function mountSession(app${ts(': Express')})${ts(': void')} {
  mountRoutes(app, {
    app: 'api', route: '', name: 'session',
    routes: {
      register: {
        methods: 'POST', route: '/register', auth: false, status: 201, input: credentials,
        handler: async (req, res, { email, password }) => {
          const isNew = await addUser({ email, passwordHash: await hashPassword(password) })
          if (!isNew) throw new ConflictError('This address is registered already')
          return { email }
        },
      },
      login: {
        methods: 'POST', route: '/login', auth: false, input: credentials,
        handler: async (req, res, { email, password }) => {
          const user = await findUser(email)
          if (user === undefined || !(await isPassword(password, user.passwordHash))) {
            throw new UnauthorizedError('Wrong address or password')
          }
          return { token: await issueToken('api', { id: user.id, role: user.role }, { secret, expiresIn: 3600 }) }
        },
      },
    },
  })
}
`,
  }
}

const passwords = ({ ts }) =>
  `import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify${ts('<string, Buffer, number, Buffer>')}(scrypt)

export async function hashPassword(password${ts(': string')})${ts(': Promise<string>')} {
  const salt = randomBytes(16)
  return \`\${salt.toString('base64')}.\${(await derive(password, salt, 64)).toString('base64')}\`
}

export async function isPassword(password${ts(': string')}, hash${ts(': string')})${ts(': Promise<boolean>')} {
  const [salt = '', key = ''] = hash.split('.')
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), 64), Buffer.from(key, 'base64'))
}
`

const types = `
export interface NewUser {
  email: string
  passwordHash: string
}

export interface User extends NewUser {
  id: number
  role: string
}
`

const FIND = (ts) => `export async function findUser(email${ts(': string')})${ts(': Promise<User | undefined>')}`
const ADD = (ts) =>
  `/** Adds a user. Returns false if the address is taken. */
export async function addUser(user${ts(': NewUser')})${ts(': Promise<boolean>')}`

const USERS = {
  memory: ({ ts, isTs, when }) =>
    `${when(isTs, `${types}\n`)}\
const users = new Map${ts('<string, User>')}()

${FIND(ts)} {
  return users.get(email)
}

${ADD(ts)} {
  if (users.has(user.email)) return false
  users.set(user.email, { id: users.size + 1, role: 'user', ...user })
  return true
}
`,
  kysely: ({ ts, isTs, when }) =>
    `import { db } from './database.js'
${when(isTs, types)}
${FIND(ts)} {
  return await db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

${ADD(ts)} {
  const added = await db.insertInto('users').values(user).onConflict((on) => on.column('email').doNothing())
    .returning('id').executeTakeFirst()
  return added !== undefined
}
`,
  drizzle: ({ ts, isTs, when }) =>
    `import { eq } from 'drizzle-orm'
import { db } from './database.js'
import { users } from './schema.js'
${when(isTs, types)}
${FIND(ts)} {
  const [user] = await db.select().from(users).where(eq(users.email, email))
  return user
}

${ADD(ts)} {
  const added = await db.insert(users).values(user).onConflictDoNothing({ target: users.email }).returning()
  return added.length > 0
}
`,
  prisma: ({ ts, isTs, when }) =>
    `import { prisma } from './database.js'
${when(isTs, types)}
${FIND(ts)} {
  return (await prisma.user.findUnique({ where: { email } })) ?? undefined
}

${ADD(ts)} {
  const { count } = await prisma.user.createMany({ data: [user], skipDuplicates: true })
  return count > 0
}
`,
}
