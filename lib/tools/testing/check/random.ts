import { HOSTILE, LONG, NUMBERS, WRONG } from './hostile.js'

/** Returns a function that returns random values, the same for the same seed; by `fast-check` if it is installed. */
export async function randomValues(seed: number): Promise<() => readonly unknown[]> {
  const next = generator(seed)
  const made = await generateValues(seed)
  const choices: readonly unknown[] = [...HOSTILE, ...LONG.slice(0, 3), ...NUMBERS, ...WRONG, ...made, ...made]
  return () => Array.from({ length: 60 }, () => choices[Math.floor(next() * choices.length)])
}

/** Returns random strings and JSON values of `fast-check`, none if it is not installed. */
async function generateValues(seed: number): Promise<readonly unknown[]> {
  try {
    const fc = await import('fast-check')
    const strings = fc.string({ unit: 'binary', maxLength: 30 })
    return fc.sample(fc.oneof(strings, fc.string({ unit: 'grapheme' }), fc.double(), fc.jsonValue({ maxDepth: 2 })), {
      seed,
      numRuns: 300,
    })
  } catch {
    return []
  }
}

/** A small generator (mulberry32). */
function generator(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
