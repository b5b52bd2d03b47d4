import { anchorOf } from '../anchor.ts'
import { pathOf, plain, readPage } from '../pages/pages.ts'

/** A heading with the text up to the next one: what the search finds. `titles` are the headings above it. */
export type Section = { id: string; title: string; titles: string[]; text: string }

/** A heading, or a block of code, in which a line with `#` is a comment. */
const HEADING_OR_CODE = /^ *```[^]*?^ *```$|^(#{1,6}) (.+)$/gm

/** All sections of a page. */
export function sectionsOf(file: string, markdown = readPage(file)): Section[] {
  const headings = Array.from(markdown.matchAll(HEADING_OR_CODE)).filter(([, level]) => level !== undefined)
  const above: string[] = []
  const used = new Map<string, number>()
  return headings.map((heading, i) => {
    const [line, { length: level } = '', raw = ''] = heading
    const title = plain(raw)
    const titles = above.slice(0, level - 1).filter(Boolean)
    above.splice(level - 1, above.length, title)
    const anchor = anchorOf(title)
    const before = used.get(anchor) ?? 0
    used.set(anchor, before + 1)
    const text = plain(markdown.slice(heading.index + line.length, headings[i + 1]?.index))
    return { id: `${pathOf(file)}#${anchor}${before > 0 ? `-${before}` : ''}`, title, titles, text }
  })
}
