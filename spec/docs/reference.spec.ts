import { describe, expect, it } from 'vitest'
import { DESCRIBED, optionsOf, type Described } from './options.js'
import { anchorsOf, namedAnchorsOf, pages } from './pages.js'

const names = ({ types, except = [] }: Described): string[] =>
  [...new Set(types.flatMap(optionsOf))].filter((name) => !except.includes(name))
const anchorOf = (option: string, prefix?: string): string =>
  `${prefix === undefined ? '' : `${prefix}-`}${option.toLowerCase()}`
const textOf = (name: string): string => pages.find((page) => page.name === name)?.text ?? ''
const own = DESCRIBED.filter(({ prefix }) => prefix === undefined)

describe('the reference', () => {
  it.each(DESCRIBED)('has an anchor for each option: $page, $types.0', (described) => {
    const anchors = anchorsOf(textOf(described.page))
    const missing = names(described).filter((name) => !anchors.includes(anchorOf(name, described.prefix)))
    expect(missing).toEqual([])
  })

  it('names an anchor for nothing but options', () => {
    const known = new Set(
      DESCRIBED.flatMap((described) =>
        names(described).map((name) => `${described.page}#${anchorOf(name, described.prefix)}`)
      ),
    )
    const named = [...new Set(DESCRIBED.map(({ page }) => page))].flatMap((page) => [
      ...namedAnchorsOf(textOf(page)).map((anchor) => `${page}#${anchor}`),
    ])
    expect(named.filter((anchor) => !known.has(anchor))).toEqual([])
  })

  it.each(own)('has a heading for nothing but options: $page', (described) => {
    const options = own.filter(({ page }) => page === described.page).flatMap(names)
    const titles = [...textOf(described.page).matchAll(/^### `(\w+)`$/gm)].map(([, title = '']) => title)
    expect(titles.filter((title) => !options.includes(title))).toEqual([])
    expect(new Set(titles).size).toBe(titles.length)
  })

  it.each(own)('gives each option its type, its default and an example: $page', (described) => {
    const sections = sectionsOf(textOf(described.page))
    const incomplete = names(described).filter((name) => {
      const text = sections.get(name) ?? ''
      return !/^Type: .+ (?:Default: |Required\.)/ms.test(text) || !text.includes('```ts')
    })
    expect(incomplete).toEqual([])
  })
})

/** Returns the text below each heading that is an option, up to the next heading of a section or an option. */
function sectionsOf(text: string): Map<string, string> {
  const parts = text.split(/^#{2,3} (.+)$/m)
  return new Map(parts.flatMap((part, index) => {
    const name = index % 2 === 1 ? /^`(\w+)`$/.exec(part)?.[1] : undefined
    return name === undefined ? [] : [[name, parts[index + 1] ?? ''] as const]
  }))
}
