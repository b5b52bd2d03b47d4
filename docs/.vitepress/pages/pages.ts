import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const DOCS = join(import.meta.dirname, '../..')

/** The files of all pages, by their path below `docs/`. */
export const pageFiles = (): string[] =>
  globSync('{,adr/,clients/,contributing/,design/,readers/}*.md', { cwd: DOCS }).toSorted()

/** The text of a page. */
export const readPage = (file: string): string => readFileSync(join(DOCS, file), 'utf8')

/** The path of a page at the site, from its file. */
export const pathOf = (file: string): string => `/docs/${file.replace(/(?:index|README)?\.md$/, '')}`

/** The path of the Markdown of a page. The README of a folder is its index. */
export const markdownPathOf = (file: string): string => `/docs/${file.replace(/README\.md$/, 'index.md')}`

/** Without the marks of links and code. */
export const plain = (markdown: string): string =>
  markdown.replaceAll(/!?\[([^\]]*)\]\([^)\s]*\)/g, '$1').replaceAll('`', '')
