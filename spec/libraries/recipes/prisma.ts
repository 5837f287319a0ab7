import { PrismaPg } from '@prisma/adapter-pg'
import { Prisma, PrismaClient } from '../generated/recipes/client.js'

export { Prisma }

const connectionString = process.env.RECIPE_URL ?? ''
const schema = /search_path%3D(\w+)/.exec(connectionString)?.[1] ?? 'public'
export const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString }, { schema }) })
export const close = (): Promise<void> => prisma.$disconnect()
