import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { root } from '../support/processes.js'

/** Limits the bytes of a request to what the engine itself keeps of the code that runs. */
const FEW = 500

describe('the memory of requests', () => {
  it('is not kept after the reply until the next full garbage collection', () => {
    const flags = ['--expose-gc', '--no-incremental-marking', '--import', 'tsx']
    const { stdout, stderr } = spawnSync(process.execPath, [...flags, 'spec/fast/kept-memory.ts'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    const kept = JSON.parse(stdout) as Record<string, number>
    expect(Object.keys(kept)).toEqual(['show', 'list', 'no path', 'with a token'])
    expect(Object.entries(kept).filter(([, bytes]) => bytes > FEW)).toEqual([])
  })
})
