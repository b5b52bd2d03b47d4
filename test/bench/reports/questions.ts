import { ORG_ID } from './catalog-fill.ts'
import type { FilledHistory } from './fill.ts'
import * as sql from './statements.ts'
import type { Question } from './ways.ts'

/** The only list that catalog serves with data from tracking. */
export const LEGACY_ASSETS = '/legacy/api/v1/assets'

/** The resources of the measured organization in the questions. */
export type Things = FilledHistory & { tagValues: string[]; assets: number }

const WANTED_P99_MS = 50
/** A prime, so that neighbouring questions use resources far apart. */
const STEP = 7919
const PAGE = 50
const DAY_MS = 86_400_000

const one = <T>(of: readonly T[], i: number): T => of[(i * STEP) % of.length]!
const some = <T>(of: readonly T[], i: number, n: number): T[] =>
  Array.from({ length: n }, (_, k) => one(of, i * n + k))
const repeated = (name: string, values: readonly (string | number)[]) =>
  values.map((value) => `${name}=${value}`).join('&')
const iso = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString()

type Request = { path: string; rowField: string }
const get = (path: string, query: string, rowField: string): Request => ({
  path: `${path}?limit=${PAGE}${query === '' ? '' : `&${query}`}`,
  rowField,
})
const report = (query: string) => get('/api/v1/reports/asset-locations', query, 'asset_last_seen')
const current = (query: string, base = '/api/v1') => get(`${base}/locations/current`, query, 'last_seen')

/** `values` follow limit and offset in the statement. */
const asked = (request: Request, text: string, values: readonly unknown[] = [], offset = 0) => ({
  ...request,
  path: offset === 0 ? request.path : `${request.path}&offset=${offset}`,
  statement: { text, values: [ORG_ID, PAGE, offset, ...values] },
})

type Ask = Question['ask']
const question = (name: string, ask: Ask): Question => ({ name, wantedP99Ms: WANTED_P99_MS, ask })
/** Without a target, because it reads all data of the organization. */
const measured = (name: string, ask: Ask): Question => ({ name, ask })

export const questionsAbout = (things: Things): Question[] => [
  ...pages(things),
  ...filters(things),
  ...searches(things),
  ...sorted(things),
  ...moments(things),
  ...currentLocations(things),
  ...histories(things),
]

function pages({ assets }: Things): Question[] {
  const [middle, end] = [Math.floor(assets * 0.46), Math.floor(assets * 0.9)]
  return [
    question('report: first pages', (i) => asked(report(''), sql.report(), [], (i % 20) * PAGE)),
    question(`report: offset ${middle}`, (i) => asked(report(''), sql.report(), [], middle + i)),
    question(`report: offset ${end}`, (i) => asked(report(''), sql.report(), [], end - i)),
  ]
}

function filters({ scannedIds, scannedKeys, locationIds, locationKeys, hallId, rootId }: Things): Question[] {
  const at = (ids: readonly number[]) =>
    asked(report(repeated('location_id', ids)), sql.report(sql.AT_PLACES), [ids])
  const inside = (id: number, offset: number) =>
    asked(report(`location_id=${id}&include_descendants=true`), sql.report(sql.INSIDE), [id], offset)
  const these = (ids: readonly number[]) =>
    asked(report(repeated('asset_id', ids)), sql.report(sql.THESE), [ids])
  return [
    question('report: at a location', (i) => at([one(locationIds, i)])),
    question('report: at 200 locations', (i) => at(some(locationIds, i, 200))),
    question('report: at a key', (i) => {
      const key = one(locationKeys, i)
      return asked(report(`location_external_key=${key}`), sql.report(sql.AT_KEYS), [[key]])
    }),
    question('report: below an eighth', (i) => inside(hallId, i % 1_000)),
    question('report: below the root', (i) => inside(rootId, i % 1_000)),
    question('report: of an asset', (i) => these([one(scannedIds, i)])),
    question('report: of 200 assets', (i) => these(some(scannedIds, i, 200))),
    question('report: of 100 keys', (i) => {
      const keys = some(scannedKeys, i, 100)
      return asked(report(repeated('asset_external_key', keys)), sql.report(sql.THESE_KEYS), [keys])
    }),
  ]
}

function searches({ tagValues, hallId }: Things): Question[] {
  const search = (q: string, more = '') =>
    asked(report(`q=${encodeURIComponent(q)}${more}`), sql.report(sql.MATCHING), [`%${q.toLowerCase()}%`])
  const word = (i: number) => (i % 2 === 0 ? 'forklift' : 'pallet ')
  return [
    question('report, q: part of a tag', (i) => search(one(tagValues, i).slice(4, 16))),
    question('report, q: nothing found', (i) => search(`zq${i}xw`)),
    question('report, q: one row in eight', (i) => search(word(i))),
    question('report, q: one in eight, below an eighth', (i) =>
      asked(
        report(`q=${encodeURIComponent(word(i))}&location_id=${hallId}&include_descendants=true`),
        sql.report(`${sql.INSIDE} and ${sql.MATCHING.replaceAll('$4', '$5')}`),
        [hallId, `%${word(i)}%`],
      ),
    ),
    measured('report, q: two characters', (i) => search(`${i % 10}Z`)),
  ]
}

function sorted({ assets }: Things): Question[] {
  const orders = [
    ['asset_last_seen', sql.LONGEST_AGO],
    ['asset_external_key', sql.ASSET_KEY],
    ['-asset_external_key', sql.ASSET_KEY_DOWN],
    ['location_external_key', sql.PLACE_KEY],
    ['-location_external_key', sql.PLACE_KEY_DOWN],
    ['location_external_key,-asset_last_seen', sql.PLACE_THEN_SEEN],
  ] as const
  const middle = Math.floor(assets * 0.46)
  return orders.flatMap(([sort, order]) =>
    [0, middle].map((from) =>
      question(`report by ${sort}${from > 0 ? ` at ${from}` : ''}`, (i) =>
        asked(report(`sort=${sort}`), sql.report('true', order), [], from + (i % 20) * PAGE),
      ),
    ),
  )
}

function moments({ scannedIds, locationIds }: Things): Question[] {
  const at = (daysAgo: number, filter = '', where = 'true', values: unknown[] = []) => {
    const moment = iso(daysAgo)
    return asked(report(`at=${moment}${filter}`), sql.past(where), [moment, ...values])
  }
  return [
    measured('report at= some day', (i) => at(30 + (i % 300))),
    question('report at= some day, of 200 assets', (i) => {
      const ids = some(scannedIds, i, 200)
      return at(30 + (i % 300), `&${repeated('asset_id', ids)}`, 'a.id = any($5::bigint[])', [ids])
    }),
    measured('report at= some day, at a location', (i) => {
      const id = one(locationIds, i)
      return at(30 + (i % 300), `&location_id=${id}`, 'p.location_id = any($5::bigint[])', [[id]])
    }),
  ]
}

function currentLocations({ assets, scannedKeys, locationKeys, tagValues }: Things): Question[] {
  const middle = Math.floor(assets * 0.46)
  const legacy = '/legacy/api/v1'
  const at = (key: string, base?: string) =>
    asked(current(`location=${key}`, base), sql.report(`${sql.SOMEWHERE} and ${sql.AT_KEYS}`), [[key]])
  return [
    question('current: first pages', (i) =>
      asked(current(''), sql.report(sql.SOMEWHERE), [], (i % 20) * PAGE),
    ),
    question(`current: offset ${middle}`, (i) =>
      asked(current(''), sql.report(sql.SOMEWHERE), [], middle + i),
    ),
    question('current by location', (i) =>
      asked(current('sort=location'), sql.report(sql.SOMEWHERE, sql.PLACE_KEY), [], (i % 20) * PAGE),
    ),
    question('current: at a location', (i) => at(one(locationKeys, i))),
    question('current, legacy: at a location', (i) => at(one(locationKeys, i), legacy)),
    question('assets, legacy: at a location', (i) => {
      const key = one(locationKeys, i)
      const request = get(LEGACY_ASSETS, `location=${key}`, 'current_location')
      return asked(request, sql.LEGACY_ASSETS_AT, [[key]])
    }),
    question('current: of an asset', (i) => {
      const key = one(scannedKeys, i)
      return asked(current(`asset=${key}`), sql.report(`${sql.SOMEWHERE} and ${sql.THESE_KEYS}`), [[key]])
    }),
    question('current, q: part of a tag', (i) => {
      const q = one(tagValues, i).slice(4, 16)
      return asked(current(`q=${q}`), sql.report(`${sql.SOMEWHERE} and ${sql.MATCHING}`), [
        `%${q.toLowerCase()}%`,
      ])
    }),
  ]
}

const EVER = ['-infinity', 'infinity']

function histories({ scannedIds, scannedKeys, alwaysReadIds }: Things): Question[] {
  const history = (id: number, query: string, range: readonly string[], offset = 0) =>
    asked(
      get(`/api/v1/assets/${id}/history`, query, 'event_observed_at'),
      sql.HISTORY,
      [id, ...range],
      offset,
    )
  const window = (id: number, daysAgo: number) => {
    const [from, to] = [daysAgo, daysAgo - 30].map((days) => iso(days).slice(0, 16)) // whole minutes
    return history(id, `from=${from}:00.000Z&to=${to}:59.999Z`, [`${from}Z`, `${to}Z`])
  }
  return [
    question('history: first page', (i) => history(one(scannedIds, i), '', EVER)),
    question('history: 30 days', (i) => window(one(scannedIds, i), 40 + (i % 300))),
    question('history of an asset read every minute: first page', (i) =>
      history(one(alwaysReadIds, i), '', EVER),
    ),
    question('history of an asset read every minute: 30 days', (i) =>
      window(one(alwaysReadIds, i), 32 + (i % 20)),
    ),
    question('history of an asset read every minute: offset 40 000', (i) =>
      history(one(alwaysReadIds, i), '', EVER, 40_000 + i),
    ),
    question('history, legacy: first page', (i) => {
      const [id, key] = [one(scannedIds, i), one(scannedKeys, i)]
      const request = get(`/legacy/api/v1/assets/${key}/history`, '', 'timestamp')
      return asked(request, sql.HISTORY, [id, ...EVER])
    }),
  ]
}
