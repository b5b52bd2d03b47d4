import type { Filled } from './fill.ts'
import { ORG_ID } from './fill.ts'
import { BATCH, CREATE, DESCENDANTS, FIND, LIST, SEARCH, UPDATE } from './statements.ts'

export type Request = {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: object
  /** What every row of the answer has once; `deleted_at` if left out. */
  rowField?: string
}
/** Prepared unless its best plan depends on the values. */
export type Statement = { text: string; values: unknown[]; isPlannedAnew?: true }

/** The same question to the service and to the database, different each time it is asked. */
export type Question = {
  name: string
  /** What is to be reached: a ratio of the medians at most, or a p99 of the service in milliseconds. */
  wanted?: { ratio: number } | { p99: number }
  ask: (i: number) => { request: Request; statement: Statement }
}

const READ = { ratio: 2 }
const SEARCHED = { p99: 50 }

/** A prime, so that neighbouring questions are about things far apart. */
const STEP = 7919

const get = (path: string): Request => ({ method: 'GET', path })
const list = (query: string) => get(`/api/v1/assets?${query}`)

export function questionsAbout(filled: Filled): Question[] {
  const { assetIds, liveKeys, serials, tagValues, rootId, deepOffset } = filled
  const one = <T>(of: readonly T[], i: number): T => of[(i * STEP) % of.length]!
  const search = (q: string) => ({
    request: list(`q=${encodeURIComponent(q)}`),
    statement: { text: SEARCH, values: [ORG_ID, `%${q.toLowerCase()}%`, 50], isPlannedAnew: true as const },
  })
  const page = (offset: number) => ({
    request: list(`limit=50&offset=${offset}`),
    statement: { text: LIST, values: [ORG_ID, 50, offset] },
  })
  return [
    {
      name: 'GET by id',
      wanted: READ,
      ask: (i) => {
        const id = one(assetIds, i)
        return {
          request: get(`/api/v1/assets/${id}`),
          statement: { text: FIND, values: [ORG_ID, id] },
        }
      },
    },
    { name: 'list of 50 with total', wanted: READ, ask: (i) => page((i % 20) * 50) },
    { name: `offset ${deepOffset}`, wanted: READ, ask: (i) => page(deepOffset + i) },
    {
      name: '100 external keys',
      wanted: READ,
      ask: (i) => {
        const keys = Array.from({ length: 100 }, (_, n) => one(liveKeys, i * 100 + n))
        const query = keys.map((key) => `external_key=${key}`).join('&')
        return {
          request: list(`limit=100&${query}`),
          statement: { text: BATCH, values: [ORG_ID, keys, 100] },
        }
      },
    },
    { name: 'q: a serial number', wanted: SEARCHED, ask: (i) => search(one(serials, i)) },
    { name: 'q: part of a tag', wanted: SEARCHED, ask: (i) => search(one(tagValues, i).slice(4, 16)) },
    { name: 'q: nothing found', wanted: SEARCHED, ask: (i) => search(`zq${i}xw`) },
    { name: 'q: two characters', ask: (i) => search(`${i % 10}Z`) },
    { name: 'q: one row in eight', ask: (i) => search(i % 2 === 0 ? 'forklift' : 'pallet ') },
    {
      name: 'descendants of a root',
      wanted: READ,
      ask: () => ({
        request: get(`/api/v1/locations/${rootId}/descendants`),
        statement: { text: DESCENDANTS, values: [ORG_ID, rootId, 50] },
      }),
    },
    {
      name: 'PATCH',
      ask: (i) => {
        const [id, name] = [one(assetIds, i), `Forklift, painted ${i}`]
        return {
          request: { method: 'PATCH', path: `/api/v1/assets/${id}`, body: { name } },
          statement: { text: UPDATE, values: [ORG_ID, id, name] },
        }
      },
    },
    { name: 'create with a tag', ask: created() },
  ]
}

/** The two ways get keys and tags of their own: what one has created, the other could not create again. */
function created(): Question['ask'] {
  let made = 0
  return () => {
    made += 1
    const [name, asked, told] = [`Forklift ${made}`, `A-${process.pid}-${made}`, `B-${process.pid}-${made}`]
    const tags = [{ tag_type: 'rfid', value: asked }]
    return {
      request: { method: 'POST', path: '/api/v1/assets', body: { name, external_key: asked, tags } },
      statement: { text: CREATE, values: [ORG_ID, told, name, told] },
    }
  }
}
