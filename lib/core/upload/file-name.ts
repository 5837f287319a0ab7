const MOST_BYTES = 255

/**
 * Control characters of ASCII, Latin-1 and Unicode, line separators, and marks that change the direction of the text.
 */
const UNSEEN = /[\u0000-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g

/**
 * Returns a client's name for a file in a form that can be shown: the last part of a path, whole characters, at most
 * 255 bytes.
 */
export function cleanFileName(sent: string): string {
  const last = sent.split(/[/\\]/).at(-1) ?? ''
  const name = wellFormed(last).replace(UNSEEN, '').normalize('NFC').trim()
  return /^\.*$/.test(name) ? 'file' : shorten(name)
}

/** Replaces unpaired surrogates. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}

/** Shortens a name that is too long, and keeps its extension. */
function shorten(name: string): string {
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
