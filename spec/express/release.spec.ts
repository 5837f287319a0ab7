import { createRequire } from 'node:module'
import { join } from 'node:path'
import express, { Router } from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { unknownFunctions } from '../../lib/core/express/release.js'
import { unknownRelease } from './unknown-release.js'

it('every function of the installed release is known', () => {
  expect(unknownFunctions(express)).toEqual([])
})

it('a function of another release is unknown', () => {
  const folder = unknownRelease()
  const installed = createRequire(join(folder, 'index.js'))('express') as typeof express
  expect(unknownFunctions(installed)).toEqual(['router.handle'])
})

it('a function that a tool has replaced belongs to no release', () => {
  const prototype = Router.prototype as { handle: (...args: unknown[]) => unknown }
  const { handle } = prototype
  onTestFinished(() => void (prototype.handle = handle))
  prototype.handle = function observed(...args) {
    return handle.apply(this, args)
  }
  expect(unknownFunctions(express)).toEqual([])
})
