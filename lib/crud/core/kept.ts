/** A value that is kept for a request, by its call, or for a resource, by its plan. */
export class Kept<T> {
  get({ values }: Keeping): T | undefined {
    return values.get(this) as T | undefined
  }

  set({ values }: Keeping, value: T): void {
    values.set(this, value)
  }
}

interface Keeping {
  readonly values: Map<object, unknown>
}
