import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { llmsText } from './llms.ts'
import { markdownPathOf, pageFiles, readPage } from './pages.ts'

const CODE_BLOCK = /(^ *```[^]*?^ *```$)/m
const LINK = /(!?)\[([^\]]*)\]\(([^)\s]+)\)/g

/** A page as the site gives it to programs: links lead to the Markdown of other pages, and pictures are what they show. */
export function markdownOf(file: string, markdown = readPage(file)): string {
  const folder = posix.dirname(file)
  const adapt = (text: string) =>
    text.replaceAll(LINK, (whole, isPicture: string, label: string, href: string) => {
      if (isPicture) return `(Picture: ${label})`
      if (/^(?:\w+:|[/#])/.test(href)) return whole
      const path = posix.join(folder, href.split('#', 1)[0] ?? '')
      if (path.startsWith('../')) return `${label} (\`${path.slice('../'.length)}\` of the project)`
      return `[${label}](${href.replace(/(^|\/)README\.md(?=$|#)/, '$1index.md')})`
    })
  return markdown
    .split(CODE_BLOCK)
    .map((part, i) => (i % 2 === 0 ? adapt(part) : part))
    .join('')
}

/** Writes the Markdown of all pages and `llms.txt` into the built site. */
export function writeMarkdown(outDir: string): void {
  for (const file of pageFiles()) {
    const target = join(outDir, markdownPathOf(file).slice('/docs/'.length))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, markdownOf(file))
  }
  writeFileSync(join(outDir, 'llms.txt'), llmsText())
}
