import { createHash } from 'node:crypto'

/*
 * A checker for Stryker that keeps a sample of the changes: the share in SAMPLE, such as 0.1. The same code has the same
 * sample in every run.
 */

const share = Number(process.env.SAMPLE)

class SampleChecker {
  async init() {}

  async check(mutants) {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, isInSample(mutant) ? KEPT : LEFT_OUT]))
  }

  async group(mutants) {
    return [mutants.map(({ id }) => id)]
  }
}

const KEPT = { status: 'passed' }
const LEFT_OUT = { status: 'compileError', reason: 'not in the sample' }

/** Selects by the place below `lib`, which is the same on every machine. */
function isInSample({ fileName, location, replacement }) {
  const place = JSON.stringify([fileName.slice(fileName.lastIndexOf('/lib/')), location, replacement])
  return createHash('sha256').update(place).digest().readUInt32BE() / 2 ** 32 < share
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', injectableClass: SampleChecker }]
