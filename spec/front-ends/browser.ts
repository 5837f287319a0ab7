import { Window } from 'happy-dom'
import { afterEach } from 'vitest'

/*
 * The globals of a page that React needs. Requests, forms and files stay those of Node.js, so that they are real.
 */

const NAMES = [
  'document',
  'navigator',
  'location',
  'history',
  'localStorage',
  'sessionStorage',
  'HTMLElement',
  'HTMLInputElement',
  'HTMLIFrameElement',
  'Element',
  'Node',
  'Text',
  'DocumentFragment',
  'MutationObserver',
  'MouseEvent',
  'KeyboardEvent',
  'getComputedStyle',
  'requestAnimationFrame',
  'cancelAnimationFrame',
] as const

const page = new Window({ url: 'http://localhost/' })
Object.defineProperty(globalThis, 'window', { value: page, configurable: true })
for (const name of NAMES) {
  Object.defineProperty(globalThis, name, { value: page[name], configurable: true, writable: true })
}

const { cleanup } = await import('@testing-library/react')
afterEach(() => {
  cleanup()
  page.localStorage.clear()
})
