/** Constructs what it is given: a class built on it puts its private fields on an object that is there already. */
const Given = function (object: object): object {
  return object
} as unknown as new (object: object) => object

/**
 * Makes a mark that can be put on objects of ours, and on nobody else's: a private field, so that nothing of it is seen.
 *
 * A WeakSet would say the same, at ten times the price: it is a table that every garbage collection has to go through.
 */
export function brand(): { readonly put: <T extends object>(object: T) => T; readonly isOn: (value: unknown) => boolean } {
  class Mark extends Given {
    readonly #ours = true

    static isOn(value: unknown): boolean {
      return typeof value === 'object' && value !== null && #ours in value
    }
  }
  return {
    put: (object) => {
      new Mark(object)
      return object
    },
    isOn: (value) => Mark.isOn(value),
  }
}
