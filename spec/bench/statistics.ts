/** The median of the values, and their spread. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const [least = NaN, most = NaN] = [sorted[0], sorted.at(-1)]
  const middle = sorted.length / 2
  const median = ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2
  return { median, least, most }
}

/** `12,345 (11,900–12,800)` */
export function show({ median, least, most }: Spread, digits = 0): string {
  const number = (value: number): string =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${number(median)} (${number(least)}–${number(most)})`
}

/** The median of the values, and the quartiles around it. */
export interface Quartiles {
  readonly median: number
  readonly lower: number
  readonly upper: number
}

export function quartilesOf(values: readonly number[]): Quartiles {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): number => {
    const place = share * (sorted.length - 1)
    const [low, high] = [sorted[Math.floor(place)] ?? NaN, sorted[Math.ceil(place)] ?? NaN]
    return low + (high - low) * (place - Math.floor(place))
  }
  return { median: at(0.5), lower: at(0.25), upper: at(0.75) }
}

/** The mean of the values, and its standard error. */
export interface Mean {
  readonly mean: number
  readonly error: number
}

export function meanOf(values: readonly number[]): Mean {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) }
}
