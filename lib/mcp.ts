export { mcpRouter, type McpOptions } from './mcp/router.js'
