import type { MountedRoute } from '../routing/registry.js'

const reported = new WeakSet<MountedRoute>()

/** Says once for a route what its schemas mean and a document cannot tell. */
export function reportUnsayable(route: MountedRoute, faults: readonly string[]): void {
  if (faults.length === 0 || reported.has(route)) return
  reported.add(route)
  process.emitWarning(`The document leaves open what ${route.name} (${route.method} ${route.path}) says: ${faults.join('; ')}.`, {
    code: 'RESOURCERY_NOT_DOCUMENTED',
    detail: 'Give the schema a `.meta({ type: … })`, or one that JSON Schema knows.',
  })
}
