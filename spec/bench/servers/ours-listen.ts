import type { Start } from './data.js'
import { createApp } from './ours-app.js'

/** The app on the package, by Express's own `app.listen`. */
export const start: Start = (resources, shape) => createApp(resources, shape).listen(0, '127.0.0.1')
