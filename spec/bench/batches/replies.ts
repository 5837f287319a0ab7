const HEAD_END = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: (\d+)/i

/** Finds the replies in the bytes of one connection; each needs a Content-Length. */
export class Replies {
  /** The bytes of the current head. */
  #head = ''
  #inBody = false
  /** Bytes of the current body that have not arrived. */
  #missing = 0

  /** Calls `onReply` with the status of each reply that is now complete. */
  read(chunk: Buffer, onReply: (status: number) => void): void {
    let at = 0
    while (at < chunk.length) {
      if (!this.#inBody) {
        const before = this.#head.length
        this.#head += chunk.toString('latin1', at, at + 4096)
        const end = this.#head.indexOf(HEAD_END)
        if (end < 0) {
          at += this.#head.length - before
          continue
        }
        at += end + HEAD_END.length - before
        this.#head = this.#head.slice(0, end)
        this.#missing = lengthOf(this.#head)
        this.#inBody = true
      }
      const taken = Math.min(this.#missing, chunk.length - at)
      at += taken
      this.#missing -= taken
      if (this.#missing > 0) return
      const status = Number(this.#head.slice(9, 12))
      this.#head = ''
      this.#inBody = false
      onReply(status)
    }
  }
}

function lengthOf(head: string): number {
  const [, length] = LENGTH.exec(head) ?? []
  if (length === undefined) throw new Error(`A reply has no Content-Length:\n${head}`)
  return Number(length)
}
