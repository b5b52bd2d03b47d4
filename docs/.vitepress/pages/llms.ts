import { sidebar } from '../navigation.ts'
import { markdownPathOf, pageFiles, pathOf, plain, readPage } from './pages.ts'

/** The menu of the guides with all vendors. */
const MENU = sidebar['/readers'] ?? []

/** `llms.txt` (llmstxt.org): what the product is, and each guide as Markdown with one line. */
export function llmsText(): string {
  const files = new Map(pageFiles().map((file) => [pathOf(file), file]))
  const sections = MENU.map(({ text, items }) => {
    const lines = items.flatMap(({ link }) => {
      const file = files.get(`/docs${link}`)
      return file === undefined ? [] : [lineOf(file)]
    })
    // By this name programs leave out what they do not need.
    return [`## ${text === 'The project' ? 'Optional' : text}`, '', ...lines, ''].join('\n')
  })
  const [about = ''] = paragraphsOf('index.md')
  return [
    '# Whereabouts',
    `\n> ${about}\n`,
    'Each page is Markdown. The API is described as [OpenAPI](/api/openapi.json), messages of readers and webhooks as [AsyncAPI](/api/asyncapi.json).\n',
    ...sections,
  ].join('\n')
}

function lineOf(file: string): string {
  const title = plain(/^# (.+)$/m.exec(readPage(file))?.[1] ?? file)
  const [first = ''] = paragraphsOf(file)
  const [sentence = first] = /^.{40,}?[.!?](?= |$)/.exec(first) ?? []
  return `- [${title}](${markdownPathOf(file)}): ${sentence}`
}

/** The texts of a page, each as one line: no headings, comments and tables. */
const paragraphsOf = (file: string): string[] =>
  readPage(file)
    .split(/\n{2,}/)
    .filter((paragraph) => !/^[#<|]/.test(paragraph))
    .map((paragraph) => plain(paragraph).replaceAll(/\s+/g, ' ').trim())
