import makeKnex from 'knex'

export interface Project {
  id: number
  name: string
}

export const knex = makeKnex({ client: 'pg', connection: process.env.RECIPE_URL ?? '' })
export const close = (): Promise<void> => knex.destroy()
