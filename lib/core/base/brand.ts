/*
 * A program may contain several copies of this package: two installed versions, or the registry of a test runner. An
 * error of one copy is an instance of the class of the same name in each other copy.
 */

/** Makes `instanceof` true for instances of the class of this name in every copy of the package. */
export function recognise(constructor: abstract new(...args: never[]) => object, name: string): void {
  const brand = Symbol.for(`resourcery.${name}`)
  Object.defineProperty(constructor.prototype, brand, { value: true })
  Object.defineProperty(constructor, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      // A class that extends this one inherits the function, and has no brand of its own.
      if (this !== constructor) return Function.prototype[Symbol.hasInstance].call(this, value)
      return typeof value === 'object' && value !== null && brand in value
    },
  })
}
