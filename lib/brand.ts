class Given {
  constructor(object: object) {
    return object
  }
}

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
