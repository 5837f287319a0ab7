import { isList, isObject } from './guards.js'

/** A form that the value of an option has, and the words for it. */
export interface Form {
  readonly is: (value: unknown) => boolean
  readonly words: string
}

export const isText = (value: unknown): boolean => typeof value === 'string'
export const isTexts = (value: unknown): boolean => isList(value) && value.every(isText)

export const BOOLEAN: Form = { is: (value) => typeof value === 'boolean', words: 'true or false' }
export const OBJECT: Form = { is: isObject, words: 'an object' }
