import { serve } from 'resourcery'
import type { Start } from '../data.js'
import { createApp } from './express-app.js'

/** By hand on Express, with the prepared classes: the same app on our server. */
export const start: Start = async (resources) => {
  const { server } = await serve(createApp(resources), { port: 0, host: '127.0.0.1' })
  return server
}
