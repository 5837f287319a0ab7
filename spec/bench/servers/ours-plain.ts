import { serve } from 'resourcery'
import type { Start } from './data.js'
import { createApp } from './ours-app.js'

/** The app on the package and on the server made for it, without the fast path. */
export const start: Start = async (resources, shape) => {
  const { server } = await serve(createApp(resources, shape), { port: 0, host: '127.0.0.1', fast: false })
  return server
}
