import { expect, it } from 'vitest'
import type { Line } from '../../../lib/adapters/sql/catalog-lines.js'
import { Catalog } from '../../../lib/adapters/sql/catalog.js'
import type { Dialect } from '../../../lib/adapters/sql/kinds.js'

it.each<[Dialect, string | undefined, boolean]>([
  ['postgres', undefined, true],
  ['sqlite', undefined, true],
  ['mysql', undefined, false],
  ['mysql', '8.4.3', false],
  ['mysql', '10.5.0', false],
  ['mysql', '10.4.34-MariaDB', false],
  ['mysql', '10.5.0-MariaDB', true],
  ['mysql', '10.11.6-MariaDB-0+deb12u1', true],
  ['mysql', '11.4.2-MariaDB-log', true],
  ['mysql', '5.5.5-10.11.6-MariaDB', true],
  ['mysql', '5.5.5-10.4.1-mariadb', false],
])('on %s, version %s, a database returns the rows that it inserts: %s', (dialect, version, expected) => {
  const lines: Line[] = version === undefined ? [] : [{ part: 'version', name: version, value: '' }]
  expect(new Catalog({ name: 'posts', dialect, columns: {} }, lines, new Map()).returnsRows).toBe(expected)
})
