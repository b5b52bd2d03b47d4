import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const exclude = ['**/node_modules/**', '**/.cache/**', '**/.data/**', '**/.git/**']
const read = (file: string) => readFileSync(file, 'utf8')
const withoutCode = (text: string) => text.replaceAll(/^ *```[^]*?^ *```$/gm, '')
const documents = new Map(globSync('**/*.md', { exclude }).map((file) => [file, withoutCode(read(file))]))

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '')
    .replaceAll(' ', '-')
const anchors = (text: string) =>
  Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => anchorOf(heading))

test('every link of a document leads to a file and a heading that exist', () => {
  const links = [...documents].flatMap(([file, text]) =>
    Array.from(text.matchAll(/\]\(([^)\s:]+)\)/g), ([, link = '']) => ({ file, link })),
  )
  expect(links.length).toBeGreaterThan(100)
  const dead = links.filter(({ file, link }) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : join(dirname(file), path)
    if (!existsSync(target)) return true
    return anchor !== undefined && !anchors(documents.get(target) ?? '').includes(anchor)
  })
  expect(dead).toEqual([])
})

/** Quoted in the runbooks, but commands, or messages of PostgreSQL. */
const FOREIGN = /^(kubectl|npm|node|nats|select|docker|too many clients)\b/

test('every log message that a runbook quotes is in the source', () => {
  const source = globSync('{services,libs}/*/src/**/*.ts', { exclude }).map(read).join('\n')
  const quoted = Array.from(
    read('docs/runbooks.md').matchAll(/`([a-z]+ [a-z ,:;]+)`/g),
    ([, text = '']) => text,
  ).filter((text) => !FOREIGN.test(text))
  expect(quoted.length).toBeGreaterThan(20)
  expect(quoted.filter((text) => !source.includes(text))).toEqual([])
})
