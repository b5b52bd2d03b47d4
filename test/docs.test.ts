import { errorTypes, fieldCodes } from '@whereabouts/contracts/errors'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'

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

/** The texts below the `###` headings of a page, by heading. */
const sectionsOf = (page: string) =>
  new Map(
    Array.from(page.matchAll(/^### (.+)\n([^]*?)(?=^##|(?![^]))/gm), ([, name = '', text = '']) => [
      name,
      text,
    ]),
  )

test('the page of errors has a section for each type, with its status and title, and for each code of a field', () => {
  const sections = sectionsOf(read('docs/errors.md'))
  const types = Object.entries(errorTypes)
  const documented = [...types.map(([type]) => type), ...fieldCodes]
  expect([...sections.keys()].filter((name) => !name.includes(' ')).toSorted()).toEqual(documented.toSorted())
  for (const [type, { status, title }] of types)
    expect(sections.get(type)).toMatch(new RegExp(`^\\n${status} ${title}[.:]`))
  expect(sections.has('403 without an envelope')).toBe(true)
})

/**
 * What checks the code of a language without running it, for what a machine has. Programs get all blocks at once, because
 * each start takes longer than its work.
 */
const checkers: Record<string, (blocks: readonly string[]) => string | undefined> = {
  sh: (blocks) => problemOf('bash', ['-n'], blocks.join('\n')),
  python: (blocks) =>
    problemOf(
      'python3',
      ['-c', 'import json, sys; [compile(code, "block", "exec", 0x2000) for code in json.load(sys.stdin)]'],
      JSON.stringify(blocks),
    ),
  js: eachIn((code) => void stripTypeScriptTypes(code)),
  ts: eachIn((code) => void stripTypeScriptTypes(code)),
  json: eachIn((code) => void JSON.parse(code)),
  go: (blocks) =>
    problemOf('gofmt', [], `package p\n${blocks.map((code, i) => `func f${i}() {\n${code}}\n`).join('')}`),
  csharp: () => undefined,
  yaml: eachIn((code) => void parseYaml(code)),
  text: () => undefined,
}

function problemOf(command: string, args: string[], input: string): string | undefined {
  const { error, status, stderr } = spawnSync(command, args, { input, encoding: 'utf8' })
  return error || status === 0 ? undefined : stderr // without the program, another machine checks it
}

function eachIn(check: (code: string) => void) {
  return (blocks: readonly string[]): string | undefined => {
    try {
      blocks.forEach(check)
      return undefined
    } catch (error) {
      return String(error)
    }
  }
}

test('every code block of the guides names its language and can be parsed', () => {
  const blocks = globSync('{docs/{,design/,readers/}*.md,libs/client{/package,-python}/README.md}').flatMap(
    (file) =>
      Array.from(
        read(file).matchAll(/^( *)```(\w*).*\n([^]*?)^ *```$/gm),
        ([, indent = '', language = '', code = '']) => ({
          file,
          language,
          code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
        }),
      ),
  )
  expect(blocks.length).toBeGreaterThan(50)
  const problems = [...Map.groupBy(blocks, ({ language }) => language)].flatMap(([language, all]) => {
    const check = checkers[language] ?? (() => `the language "${language}" is unknown`)
    if (check(all.map(({ code }) => code)) === undefined) return []
    return all.flatMap(({ file, code }) => {
      const problem = check([code])
      return problem === undefined ? [] : [{ file, code, problem }]
    })
  })
  expect(problems).toEqual([])
})

test('every log message that a runbook quotes is in the source', () => {
  const source = globSync('{services,libs}/*/src/**/*.ts', { exclude }).map(read).join('\n')
  const quoted = Array.from(
    read('docs/runbooks.md').matchAll(/`([a-z]+ [a-z ,:;]+)`/g),
    ([, text = '']) => text,
  ).filter((text) => !FOREIGN.test(text))
  expect(quoted.length).toBeGreaterThan(20)
  expect(quoted.filter((text) => !source.includes(text))).toEqual([])
})

const SUPERSEDED = /^Status: superseded by \[ADR (\d+)\]\(/m
const records = globSync('docs/adr/0*.md').map((file) => {
  const text = read(file)
  return {
    file,
    text,
    number: Number(file.slice('docs/adr/'.length).slice(0, 4)),
    by: SUPERSEDED.exec(text)?.[1],
  }
})
const valid = records.filter(({ by }) => by === undefined)
const validNumbers = new Set(valid.map(({ number }) => number))
const chapters = globSync('docs/design/*.md').map((file) => ({ file, text: read(file) }))

test('a superseded decision is a few lines that name the valid one, and all others are accepted', () => {
  const superseded = records.filter(({ by }) => by !== undefined)
  expect(superseded.length).toBeGreaterThan(0)
  expect(superseded.filter(({ by }) => !validNumbers.has(Number(by)))).toEqual([])
  expect(superseded.filter(({ text }) => text.split('\n').length > 10)).toEqual([])
  expect(valid.filter(({ text }) => !/^Status: accepted\b/m.test(text))).toEqual([])
})

test('each decision that is not superseded has its home in one chapter', () => {
  const homes = chapters.flatMap(({ text }) =>
    Array.from(text.split('\n## Decisions\n')[1]?.matchAll(/^- \[ADR (\d+)\]/gm) ?? [], ([, number]) =>
      Number(number),
    ),
  )
  const byNumber = (a: number, b: number) => a - b
  expect(homes.toSorted(byNumber)).toEqual([...validNumbers].toSorted(byNumber))
})

test('a chapter cites no superseded decision, and names files that exist', () => {
  const cited = chapters.flatMap(({ file, text }) =>
    Array.from(text.matchAll(/\bADR (\d+(?:(?:, | and )\d+)*)/g), ([, list = '']) => list.split(/, | and /))
      .flat()
      .map((number) => ({ file, number: Number(number) })),
  )
  expect(cited.length).toBeGreaterThan(100)
  expect(cited.filter(({ number }) => !validNumbers.has(number))).toEqual([])
  const named = chapters.flatMap(({ file, text }) =>
    Array.from(text.matchAll(/`((?:services|libs|deploy|test|k8s|docs)\/[\w./-]+)`/g), ([, path = '']) => ({
      file,
      path,
    })),
  )
  expect(named.length).toBeGreaterThan(150)
  expect(named.filter(({ path }) => !existsSync(path))).toEqual([])
})

test('every decision that code, tests or documents cite exists', () => {
  const numbers = new Set(records.map(({ number }) => number))
  const files = globSync('{*.md,{deploy,docs,k8s,libs,services,test}/**/*.{md,mjs,sh,sql,ts,tsx,yaml}}', {
    exclude,
  })
  const cited = files.flatMap((file) =>
    Array.from(read(file).matchAll(/\bADR (\d+)\b/g), ([, number]) => ({ file, number: Number(number) })),
  )
  expect(cited.length).toBeGreaterThan(300)
  expect(cited.filter(({ number }) => !numbers.has(number))).toEqual([])
})
