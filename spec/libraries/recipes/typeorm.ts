import 'reflect-metadata'
import { DataSource, EntitySchema } from 'typeorm'

export class Project {
  id!: number
  name!: string
  members?: Member[]
}

export class Member {
  projectId!: number
  userId!: number
}

/* What `@Entity()` and its kin declare: the compiler of this project takes no decorators. */
const projects = new EntitySchema<Project>({
  name: 'Project',
  target: Project,
  tableName: 'projects',
  columns: { id: { type: 'integer', primary: true, generated: 'increment' }, name: { type: 'text' } },
  relations: { members: { type: 'one-to-many', target: 'Member', inverseSide: 'project' } },
})
const members = new EntitySchema<Member & { project?: Project }>({
  name: 'Member',
  target: Member,
  tableName: 'members',
  columns: { projectId: { type: 'integer', primary: true }, userId: { type: 'integer', primary: true } },
  relations: {
    project: { type: 'many-to-one', target: 'Project', inverseSide: 'members', joinColumn: { name: 'projectId' } },
  },
})

const source = new DataSource({ type: 'postgres', url: process.env.RECIPE_URL ?? '', entities: [projects, members] })
export const dataSource = await source.initialize()
export const close = (): Promise<void> => dataSource.destroy()
