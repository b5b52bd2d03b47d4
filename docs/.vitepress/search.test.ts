import { expect, test } from 'vitest'
import { pageFiles, pathOf } from './pages/pages.ts'
import { searchOptions } from './search/options.ts'
import { QUESTIONS } from './search/questions.ts'
import { buildSearchIndex } from './search/search-index.ts'
import { sectionsOf } from './search/sections.ts'
import { WORDS } from './search/words.ts'
import { pageWeight } from './theme/page-weight.ts'
import { searchTerm } from './theme/search-term.ts'

const index = buildSearchIndex()
const options = { ...searchOptions, boostDocument: pageWeight, processTerm: searchTerm }

/** As the dialog of the site searches. */
const find = (question: string): string[] => index.search(question, options).map(({ id }) => String(id))

const questions = Object.entries(QUESTIONS)
const ids = new Set(pageFiles().flatMap((file) => sectionsOf(file).map(({ id }) => id)))

test('the first result answers 9 of 10 questions of integrators, vendors, operators and buyers', () => {
  expect(questions.length).toBeGreaterThanOrEqual(100)
  const missed = questions.flatMap(([question, pages]) => {
    const [first = 'nothing'] = find(question)
    return pages.includes(first.replace(/^\/docs\/|#.*/g, '')) ? [] : [`${question}: ${first}`]
  })
  expect(missed.slice(Math.floor(questions.length / 10)), missed.join('\n')).toEqual([])
})

test('every question has a result', () => {
  expect(questions.filter(([question]) => find(question).length === 0)).toEqual([])
})

test('decisions and runbooks come after guides, and are found by their own words', () => {
  for (const question of [
    'webhook retries',
    'reader accounts',
    'rate limit',
    'session',
    'movement',
    'backup',
  ]) {
    const firsts = find(question).slice(0, 3)
    expect([question, firsts.filter((id) => /\/adr\/|\/runbooks/.test(id))]).toEqual([question, []])
  }
  expect(find('OutboxStuck')[0]).toBe('/docs/runbooks#outboxstuck')
  expect(find('keyed permutation')[0]).toContain('/docs/adr/0005')
})

test('what the search knows by other words, and what answers, exists', () => {
  expect(Object.keys(WORDS).filter((section) => !ids.has(`/docs/${section}`))).toEqual([])
  const paths = new Set(pageFiles().map(pathOf))
  expect(questions.flatMap(([, pages]) => pages).filter((page) => !paths.has(`/docs/${page}`))).toEqual([])
})

test('a section is its heading, the headings above it, and its text without marks; comments in code are no headings', () => {
  const page =
    '# Page\n\nOf `a`.\n\n## Part\n\n```sh\n# no heading\n```\n\n### Same\n\n[To](b.md)\n\n## Other\n\n### Same\n'
  const found = sectionsOf('page.md', page).map(({ id, titles, text }) => [id, titles.join(' '), text.trim()])
  expect(found).toEqual([
    ['/docs/page#page', '', 'Of a.'],
    ['/docs/page#part', 'Page', 'sh\n# no heading'],
    ['/docs/page#same', 'Page Part', 'To'],
    ['/docs/page#other', 'Page', ''],
    ['/docs/page#same-1', 'Page Other', ''],
  ])
})
