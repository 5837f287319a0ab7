import { z } from 'zod'
import { param } from 'resourcery'
import { memoryStore } from 'resourcery/crud'

export interface Person {
  id: number
  email: string
  name: string
  status: number
  age: number | null
  team: number
  secret: string
}

/** The output, without `secret`. */
export const PersonOut = z.object({
  id: z.int(),
  email: z.string(),
  name: z.string(),
  status: z.int(),
  age: z.int().nullable(),
  team: z.int(),
})

export const PersonIn = z.object({
  email: z.string(),
  name: z.string().min(2, 'Too short'),
  status: param.int().default(1),
  age: param.int().nullable().optional(),
})

export function people(count = 5) {
  const rows: Person[] = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    email: `p${index + 1}@example.test`,
    name: ['Ann', 'Ben', 'Cid'][index % 3] ?? '',
    status: index % 2,
    age: index === 0 ? null : 20 + index,
    team: index % 2,
    secret: `s${index}`,
  }))
  return memoryStore<Person>({ key: 'id', unique: ['email'], defaults: { age: null, team: 0, secret: '' }, rows })
}
