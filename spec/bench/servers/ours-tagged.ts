import { serve } from 'resourcery'
import type { Start } from './data.js'
import { createApp } from './ours-app.js'

/** The app on the package with Express's settings as they are: an `ETag` and an `X-Powered-By` on every reply. */
export const start: Start = async (resources, shape) => {
  const { server } = await serve(createApp(resources, shape, true), { port: 0, host: '127.0.0.1' })
  return server
}
