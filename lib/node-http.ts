/**
 * What is used of `node:http`. An import of it by name reads all that it exports, `WebSocket` among them, for which Node.js 22 and later
 * load their whole client of the web: a quarter of the time that Express and zod take to load.
 */
export const {
  createServer, IncomingMessage, METHODS, Server, ServerResponse, STATUS_CODES, request, validateHeaderName, validateHeaderValue,
} = process.getBuiltinModule('node:http')
