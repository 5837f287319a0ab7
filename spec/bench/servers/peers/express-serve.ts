import { serve } from 'resourcery'
import type { Start } from '../data.js'
import { createApp } from './express-app.js'

/** The app on plain Express, served by `serve` with its prepared classes. */
export const start: Start = async (resources, shape) => {
  const { server } = await serve(createApp(resources, shape), { port: 0, host: '127.0.0.1' })
  return server
}
