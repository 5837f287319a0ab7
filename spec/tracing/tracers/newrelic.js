process.env.NEW_RELIC_NO_CONFIG_FILE = 'true'
process.env.NEW_RELIC_SERVERLESS_MODE_ENABLED = 'true'
process.env.NEW_RELIC_APP_NAME = 'tracing'
process.env.NEW_RELIC_LOG_ENABLED = 'false'
await import('newrelic/esm-loader.mjs').catch(() => undefined)
const { default: newrelic } = await import('newrelic')
const names = []
const errors = []
newrelic.agent.on('transactionFinished', (transaction) => {
  // `WebTransaction/Expressjs/GET//api/items/:id`
  names.push(String(transaction.name).replace(/^WebTransaction\/Expressjs\/([A-Z]+)\//, '$1 '))
  errors.push(...transaction.exceptions.map(({ error }) => error.message))
})

globalThis.tracer = { names: () => names, errors: () => errors }
