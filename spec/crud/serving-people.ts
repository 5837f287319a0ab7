import { mountResource } from 'resourcery'
import { crud } from 'resourcery/crud'
import { people, PersonIn, PersonOut } from './people.js'
import { servingRoutes } from './serving.js'

/** Serves people with options; `logged` are the messages of all errors, `rows` reads what is stored. */
export async function servingPeople(options: object) {
  const logged: string[] = []
  const store = people()
  const client = await servingRoutes((app) => {
    mountResource(app, {
      route: '/people',
      name: 'people',
      ...crud(store, { input: PersonIn, output: PersonOut, ...options }),
    })
  }, (error) => void logged.push((error as Error).message))
  return { ...client, logged, rows: () => store.list({ where: [], order: ['id'] }).slice(0, 100) }
}
