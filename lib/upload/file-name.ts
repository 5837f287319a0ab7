const MOST_BYTES = 255

/** Controls of ASCII, Latin-1 and Unicode, line separators, and marks that turn the direction of what follows. */
const UNSEEN = /[\u0000-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g

/** A caller's name for a file as it may be shown: the last part of a path, whole characters, at most 255 bytes. */
export function cleanFileName(sent: string): string {
  const last = sent.split(/[/\\]/).at(-1) ?? ''
  const name = wellFormed(last).replace(UNSEEN, '').normalize('NFC').trim()
  return /^\.*$/.test(name) ? 'file' : shortened(name)
}

/** Half a surrogate pair is no character. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}

/** A name that is too long loses its middle: the extension stays. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MOST_BYTES) return name
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? ''
  return `${firstBytes(name, MOST_BYTES - extension.length)}${extension}`
}

function firstBytes(text: string, most: number): string {
  let kept = ''
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > most) break
    kept += character
  }
  return kept
}
