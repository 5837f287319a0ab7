import { useState, type ReactNode } from 'react'
import { Create } from 'react-admin'
import type { Draft } from './providers.ts'

/** A create page whose second attempt continues the record that the first one created without a refused file. */
export function ContinuedCreate({ children }: { children: ReactNode }) {
  const [draft] = useState<Draft>({})
  return (
    <Create redirect='list' mutationOptions={{ meta: { draft } }}>
      {children}
    </Create>
  )
}
