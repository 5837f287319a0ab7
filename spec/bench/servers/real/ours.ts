import { serve } from 'resourcery'
import type { Start } from '../data.js'
import { createApp } from './ours-app.js'

/** The app on the package, on the server made for it. */
export const start: Start = async (_resources, shape) => {
  const { server } = await serve(createApp(shape), { port: 0, host: '127.0.0.1' })
  return server
}
