import { register } from 'node:module'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { ExpressInstrumentation } from '@opentelemetry/instrumentation-express'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url)
const exporter = new InMemorySpanExporter()
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
registerInstrumentations({ instrumentations: [new HttpInstrumentation(), new ExpressInstrumentation()] })

const SERVER = 1

globalThis.tracer = {
  names: () => exporter.getFinishedSpans().filter(({ kind }) => kind === SERVER).map(({ name }) => name),
  errors: () =>
    exporter.getFinishedSpans().flatMap(({ events }) => events)
      .filter(({ name }) => name === 'exception').map(({ attributes }) => attributes['exception.message']),
}
