import { serve } from 'resourcery'
import type { Start } from '../data.js'
import { createApp } from './ours-app.js'

/** The app on the package and on the server made for it, without the fast path. */
export const start: Start = async (_resources, shape) => {
  const { server } = await serve(createApp(shape), { port: 0, host: '127.0.0.1', fast: false })
  return server
}
