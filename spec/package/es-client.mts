import { createClient } from 'resourcery/client'
import type { boards, session, tasks } from './declared.js'

/*
 * An ES module with a client of declared.ts, which is a CommonJS module in one of the folders: compiled as declared.ts.
 * Both forms of the declarations must describe the same routes.
 */
export const api = createClient<{ boards: typeof boards; tasks: typeof tasks; session: typeof session }>({
  url: '',
  routes: [],
})

export async function dueOf(id: number): Promise<string | null> {
  const reply = await api.tasks.show({ boardId: 1, id })
  return reply.ok ? reply.data.due : null
}
