export { prismaStore } from '../adapters/prisma/prisma-store.js'
export type { PrismaClient, PrismaModelName, PrismaRow, PrismaStoreOptions } from '../adapters/prisma/prisma-store.js'
export { fromPrisma } from '../adapters/prisma/from-prisma.js'
export type { PrismaModel, PrismaOptions } from '../adapters/prisma/from-prisma.js'
