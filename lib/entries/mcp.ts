export { mcpRouter, type McpOptions } from '../tools/mcp/router.js'
