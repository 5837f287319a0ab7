/** Code points: an emoji is one character, not two. */
export function charactersIn(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}

/** Whether a text has no more characters than that; most are so short that nobody has to count. */
export function hasAtMost(most: number, text: string): boolean {
  return text.length <= most || charactersIn(text) <= most
}
