import type { Start } from '../data.js'
import { createApp } from './express-app.js'

/** By hand on Express, by its own `app.listen`. */
export const start: Start = (resources) => createApp(resources).listen(0, '127.0.0.1')
