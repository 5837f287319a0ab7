import { register } from 'node:module'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'

/** Reports each import that Node.js resolves. */
const HOOKS = `
  let port
  export function initialize(data) { port = data.port }
  export async function resolve(specifier, context, next) {
    const resolved = await next(specifier, context)
    port.postMessage(resolved.url)
    return resolved
  }`

/** Starts to track imports, and returns a function for the packages imported since. */
export function trackPackages(): () => readonly string[] {
  const { port1, port2 } = new MessageChannel()
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data: { port: port2 }, transferList: [port2] })
  const packages = new Set<string>()
  return () => {
    for (let told = receiveMessageOnPort(port1); told !== undefined; told = receiveMessageOnPort(port1)) {
      const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(told.message as string)?.[1]
      if (name !== undefined) packages.add(name)
    }
    return [...packages].sort()
  }
}
