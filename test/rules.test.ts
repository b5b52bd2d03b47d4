import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The rule book has `**D8.7**`, `**PATCH 3.**` and headings such as `## D8 Scan data`; a citation is the same text. */
const RULE = /^(?:- )?\*\*(D\d+\.\d+|[SRF]\d+[a-m]?|(?:General fact|Date rule|PATCH|Versioning) \d+)\.?\*\*/gm
const SECTION = /^## (D\d+) /gm
const CITATION = /\bD\d+(?:\.\d+)*[a-z]?\b|\b(?:general fact|date rule|PATCH|versioning) \d+\b/gi
/** The rules between organizations are cited at the start of a test title: `'S11 a …`, `'R4 …`. */
const TITLE = /['"`](S11 ?[a-m]\b|(?!S11)[SRF]\d{1,2})(?=[ ,])/g

const book = readFileSync('docs/contract.md', 'utf8')
const nameOf = (text: string) =>
  /^[a-z]{2}/i.test(text) ? text.toLowerCase() : text.replace(' ', '').replace(/^d/, 'D')
const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((m) => nameOf(m[1] ?? m[0]))

const rules = found(book, RULE)
const sections = found(book, SECTION)

const isTest = (file: string) => file.endsWith('.test.ts')
const files = globSync('{*.md,{docs,libs,services,deploy,test,k8s}/**/*.{ts,tsx,mjs,md}}', {
  exclude: ['**/node_modules/**', '**/.cache/**', '**/.data/**', '**/fixtures/**'],
}).filter((file) => file !== 'test/rules.test.ts')
const citations = files.flatMap((file) => {
  const text = readFileSync(file, 'utf8')
  return [...found(text, CITATION), ...(isTest(file) ? found(text, TITLE) : [])].map((rule) => ({
    file,
    rule,
  }))
})

test('each number stands for one rule', () => {
  expect(rules.length).toBeGreaterThan(100)
  expect(rules.filter((rule, i) => rules.indexOf(rule) !== i)).toEqual([])
})

test('every rule that is cited is in the rule book', () => {
  const known = new Set([...rules, ...sections])
  const unknown = citations.filter(({ rule }) => !known.has(rule))
  expect(unknown.map(({ file, rule }) => `${file} cites ${rule}`)).toEqual([])
})

test('every rule of the rule book has a test that cites it', () => {
  const shown = new Set(citations.filter(({ file }) => isTest(file)).map(({ rule }) => rule))
  const whole = sections.filter((section) => !rules.some((rule) => rule.startsWith(`${section}.`)))
  expect([...rules, ...whole].filter((rule) => !shown.has(rule))).toEqual([])
})
