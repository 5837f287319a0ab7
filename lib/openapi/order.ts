/** By code units: the same order in every country. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
