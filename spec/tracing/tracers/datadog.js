import 'dd-trace/register.js'
import ddTrace from 'dd-trace'

process.env.DD_TRACE_STARTUP_LOGS = 'false'
const spans = []
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = (text, ...rest) => {
  if (!String(text).startsWith('{"traces"')) return write(text, ...rest)
  spans.push(...JSON.parse(text).traces.flat())
  return true
}
ddTrace.init({ experimental: { exporter: 'log' }, remoteConfig: { enabled: false }, telemetry: { enabled: false } })

globalThis.tracer = {
  names: () => spans.filter(({ type }) => type === 'web').map(({ resource }) => resource),
  errors:
    () => [...new Set(spans.filter(({ error }) => error).map(({ meta }) => meta['error.message']).filter(Boolean))],
}
