import { trackPackages } from './track-packages.js'

/*
 * A program: uses the main entry step by step, and prints the packages loaded after each step.
 */

const packages = trackPackages()
const { auth, errorHandler, issueToken, mountResource, serve, upload } = await import('resourcery')
const { default: express } = await import('express')
const steps: Record<string, readonly string[]> = {}

const app = express()
mountResource(app, { route: '/notes', name: 'notes', handlers: { list: () => [] } })
app.use('/own', auth('own', { verify: () => ({ id: 1 }) }), (_req, res) => void res.end())
app.use(errorHandler())
const { url, close } = await serve(app, { port: 0, signals: false })
await fetch(`${url}/notes`)
await fetch(`${url}/own`)
steps.served = packages()

await issueToken('admin', { id: 1 }, { secret: 'a secret of more than 32 characters' })
steps.signed = packages()

app.post('/files', upload({ file: {} }), (_req, res) => void res.end())
app.use(errorHandler())
const body = new FormData()
body.append('file', new Blob(['a file']), 'a.txt')
await fetch(`${url}/files`, { method: 'POST', body })
steps.uploaded = packages()

await close()
console.log(JSON.stringify(steps))
process.exit()
