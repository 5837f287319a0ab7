/* Loaded into the programs of docs/guides: a server that asks for port 3000 gets a free one, and tells the test. */
import net from 'node:net'

const { listen } = net.Server.prototype
net.Server.prototype.listen = function(...args) {
  const [first] = args
  const asked = typeof first === 'object' && first !== null ? first.port : first
  if (Number(asked) !== 3000) return listen.apply(this, args)
  this.once('listening', () => process.send?.({ port: this.address().port }))
  return listen.call(this, typeof first === 'object' ? { ...first, port: 0 } : 0, ...args.slice(1))
}
