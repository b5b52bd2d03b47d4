import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { anchorOf } from './anchor.ts'
import { llmsText } from './pages/llms.ts'
import { markdownOf } from './pages/markdown.ts'
import { markdownPathOf, pageFiles, pathOf } from './pages/pages.ts'
import { sidebar } from './navigation.ts'

const given = new Map(pageFiles().map((file) => [markdownPathOf(file), markdownOf(file)]))
const withoutCode = (text: string) => text.replaceAll(/^ *```[^]*?^ *```$/gm, '')
const headingsOf = (path: string) =>
  Array.from(withoutCode(given.get(path) ?? '').matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    anchorOf(heading),
  )
const linksOf = (text: string) =>
  Array.from(withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g), ([, href = '']) => href)

test('D12.15 every link of the Markdown of a page leads to the Markdown of a page, and to a heading of it', () => {
  const links = [...given].flatMap(([path, text]) =>
    linksOf(text).flatMap((href) => (/^\w+:/.test(href) ? [] : [{ path, href }])),
  )
  expect(links.length).toBeGreaterThan(300)
  const dead = links.filter(({ path, href }) => {
    const [to = '', anchor] = href.split('#')
    const target = to === '' ? path : posix.join(posix.dirname(path), to)
    return !given.has(target) || (anchor !== undefined && !headingsOf(target).includes(anchor))
  })
  expect(dead).toEqual([])
})

test('pictures are what they show, files outside of the site are their path, and code stays', () => {
  const page =
    '![Two rooms](pictures/a.svg) [keys](../services/keys/README.md#x), [all](adr/README.md#a), [x](https://a.b)\n\n```sh\n# [x](../y)\n```\n'
  expect(markdownOf('a.md', page)).toBe(
    '(Picture: Two rooms) keys (`services/keys/README.md` of the project), [all](adr/index.md#a), [x](https://a.b)\n\n```sh\n# [x](../y)\n```\n',
  )
})

test('D12.15 llms.txt names the product, and links the Markdown of each page of the menu with a line', () => {
  const text = llmsText()
  expect(text).toMatch(/^# Whereabouts\n\n> Whereabouts tracks where .+\n/)
  const menu = new Set(
    (sidebar['/readers'] ?? []).flatMap(({ items }) => items.map(({ link }) => `/docs${link}`)),
  )
  const paths = pageFiles().filter((file) => menu.has(pathOf(file)))
  expect(linksOf(text).toSorted()).toEqual(
    ['/api/openapi.json', '/api/asyncapi.json', ...paths.map(markdownPathOf)].toSorted(),
  )
  const lines = text.split('\n').filter((line) => line.startsWith('- '))
  expect(lines.filter((line) => !/^- \[[^\]]+\]\(\S+\): [^|#<]{20,400}$/.test(line))).toEqual([])
})
