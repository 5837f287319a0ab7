import { installBuilt } from '../guides/install-built.js'
import { root } from '../guides/pages.js'

/** Installs the built package once for all files of the suite. */
export default function setup(): void {
  installBuilt(`${root}spec/existing`)
}
