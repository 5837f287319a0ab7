import type { Start } from '../data.js'
import { createApp } from './express-app.js'

/** The app on plain Express, with `app.listen`. */
export const start: Start = (resources, shape) => createApp(resources, shape).listen(0, '127.0.0.1')
