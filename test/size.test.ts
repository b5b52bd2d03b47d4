import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const RECORD = join(import.meta.dirname, 'size.json')

/** More than a screen of names is not a room any more. */
const MOST_FILES = 20
const MOST_ROOMS = 8
/** An area may differ by less than this many lines from what is written down. */
const SLACK = 200

/** What is written down of an area: its lines, and each growth since then with its reason. */
type Recorded = { lines: number; grown?: { by: number; why: string }[] }

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n')

/** Code that people read to change the product: no tests, fixtures, migrations and nothing generated. */
const sources = files.filter(
  (file) =>
    /^(?:services|libs|deploy)\//.test(file) &&
    /\.(?:tsx?|mts|mjs|py|sh|css)$/.test(file) &&
    !/\.(?:test|fixture)\.tsx?$|\/(?:test|tests|migrations|examples|openapi|generators)\/|\/api\.d\.ts$|\/event-examples\.ts$|\/types\.py$|^libs\/db\/testing\//.test(
      file,
    ),
)

/** A service, a lib, a room of the workshop, or the rest of `deploy`. */
const areaOf = (file: string) => /^(?:services|libs|deploy\/workshop)\/[^/]+|^deploy/.exec(file)?.[0] ?? file

const counted = Map.groupBy(sources, areaOf)
const linesOf = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1, 0)

const recorded = () => JSON.parse(readFileSync(RECORD, 'utf8')) as Record<string, Recorded>
const allowed = ({ lines, grown = [] }: Recorded) => grown.reduce((sum, { by }) => sum + by, lines)

test(`no folder has more than ${MOST_FILES} source files beside each other`, () => {
  const folders = Map.groupBy(sources, (file) => file.slice(0, file.lastIndexOf('/')))
  const flat = [...folders].filter(([, inside]) => inside.length > MOST_FILES)
  expect(
    flat.map(([folder, inside]) => `${folder} has ${inside.length}: make a folder of what belongs together`),
  ).toEqual([])
})

test(`no service has more than ${MOST_ROOMS} folders in src`, () => {
  const rooms = Map.groupBy(
    sources.flatMap((file) => /^services\/([^/]+)\/src\/([^/]+)\//.exec(file)?.slice(1, 3).join('/') ?? []),
    (room) => room.split('/')[0],
  )
  expect(rooms.size).toBeGreaterThan(5)
  const crowded = [...rooms].filter(([, inside]) => new Set(inside).size > MOST_ROOMS)
  expect(crowded.map(([service, inside]) => `${service}: ${[...new Set(inside)].join(', ')}`)).toEqual([])
})

test('an area grows only with a reason that is written down', () => {
  const sizes = Object.fromEntries([...counted].map(([area, paths]) => [area, linesOf(paths)]))
  if (process.env['UPDATE_SIZES']) {
    const before = recorded()
    const after = Object.entries(sizes).map(([area, lines]): [string, Recorded] => {
      const known = before[area]
      return [area, known && lines > allowed(known) - SLACK ? known : { lines }]
    })
    writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(after), null, 2)}\n`)
  }
  const written = recorded()
  expect(Object.keys(written).toSorted()).toEqual(Object.keys(sizes).toSorted())
  const problems = Object.entries(sizes).flatMap(([area, lines]) => {
    const limit = allowed(written[area] ?? { lines: 0 })
    if (lines >= limit + SLACK)
      return `${area} has ${lines} lines, ${lines - limit} more than written down. Remove some, or add { "by": ${lines - limit}, "why": "…" } to "grown" in test/size.json`
    return lines <= limit - SLACK
      ? `${area} has ${limit - lines} lines less than written down. Keep that: UPDATE_SIZES=1 npm test -- test/size.test.ts`
      : []
  })
  expect(problems).toEqual([])
  const reasons = Object.values(written).flatMap(({ grown = [] }) => grown)
  expect(reasons.filter(({ by, why }) => by <= 0 || why.length < 20)).toEqual([])
})
