import { Server } from 'node:net'
import { CliError } from './cli-error.js'

/** While a module is looked at, nothing of it listens: whatever tries fails, in words that say what to export instead. */
export function forbidListening(): void {
  Server.prototype.listen = function listen(): never {
    throw new CliError('the module begins to listen when it is loaded: name one that only makes the app, and let another one listen')
  }
}
