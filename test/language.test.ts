import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** A merged migration is never edited. */
const exclude = ['**/node_modules/**', '**/dist{,-docs}/**', '**/migrations/**']
const EVERY_WORD = [
  'docs/*.md',
  'docs/{adr,design,readers}/*.md',
  'docs/contributing/!(language).md',
  'CONTRIBUTING.md',
  '{libs,services,deploy}/**/*.md',
  'services/console/web/**/*.{ts,tsx}',
  'services/console/web/*.html',
]
const COMMENTS = ['{libs,services,deploy}/**/*.{ts,tsx,mjs,js,py,sh,yaml,conf}']

const [table = ''] = /^\| Say [^]*?\n\n/m.exec(readFileSync('docs/contributing/language.md', 'utf8')) ?? []
const rows = Array.from(
  table.matchAll(/^\| ([^|]+)\|([^|]+)\|([^|]+)\|$/gm),
  ([, say = '', not = '', except = '']) => ({ say: say.trim(), not: quoted(not), except: quoted(except) }),
)
const known = rows.flatMap(({ say, not }) => not.map((phrase) => ({ say, phrase, find: anyForm(phrase) })))
const exceptions = new RegExp(rows.flatMap(({ except }) => except.map(acrossLines)).join('|'), 'g')

function quoted(cell: string) {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, phrase = '']) => phrase)
}

/** The words of a phrase may be on two lines of a comment or a paragraph. */
function acrossLines(phrase: string) {
  return phrase.replaceAll(' ', String.raw`[\s*/#]+`)
}

function anyForm(phrase: string) {
  const forms = phrase.replaceAll(/\w+/g, (word) => `${word}(?:s|es|ed|ing)?`)
  return new RegExp(String.raw`\b${acrossLines(forms)}\b`, 'gi')
}

const blank = (text: string) => text.replaceAll(/[^\n]/g, '-')

/** The text with everything but its comments blanked, so that places stay the same. */
function commentsOf(text: string) {
  let end = 0
  const kept = Array.from(text.matchAll(/(?<=^ *)\/\*[^]*?\*\/|(?<=^ *| )(?:\/\/|#) .*/gm), (comment) => {
    const before = blank(text.slice(end, comment.index))
    end = comment.index + comment[0].length
    return before + comment[0]
  })
  return kept.join('')
}

function problemsOf(file: string, text: string) {
  const checked = text.replaceAll(exceptions, blank)
  return known.flatMap(({ say, phrase, find }) =>
    Array.from(checked.matchAll(find), ({ index }) => {
      const line = checked.slice(0, index).split('\n').length
      return `${file}:${line} has "${phrase}", say "${say}"`
    }),
  )
}

const withoutNotColumn = (text: string) => text.replaceAll(/(?<=^\|[^|]*\|[^|]*\|)[^|\n]*/gm, blank)

test('documents, comments and texts of the console have no word of the Not column of docs/contributing/language.md', () => {
  expect(known.length).toBeGreaterThan(20)
  const whole = globSync(EVERY_WORD, { exclude }).filter((file) => !file.endsWith('.test.ts'))
  const commented = globSync(COMMENTS, { exclude }).filter((file) => !whole.includes(file))
  expect(whole.length).toBeGreaterThan(200)
  expect(commented.length).toBeGreaterThan(1000)
  const read = (file: string) => readFileSync(file, 'utf8')
  expect([
    ...whole.flatMap((file) =>
      problemsOf(file, file.endsWith('glossary.md') ? withoutNotColumn(read(file)) : read(file)),
    ),
    ...commented.flatMap((file) => problemsOf(file, commentsOf(read(file)))),
  ]).toEqual([])
})
