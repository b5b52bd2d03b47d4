import { fullDescription, legacyDescription } from '@whereabouts/contracts/description/openapi'
import { describe, expect } from 'vitest'
import type { CallOptions } from './support/api.ts'
import { whenExhausted } from './support/buckets.ts'
import { readDescriptions } from './support/description.ts'
import { test } from './support/fixtures.ts'
import { callerOf, rows, type Row } from './support/rows.ts'
import { commonScenario, namedStatuses } from './scenarios/common.ts'
import { scenarios } from './scenarios/scenarios.ts'
import type { Make, Scenario } from './scenarios/scenario.ts'

const scenarioOf = (row: Row): Scenario => {
  const own = scenarios[row.operationId] ?? {}
  return { ...commonScenario(row, own), ...own }
}

describe('the table', () => {
  test('every row has a scenario, and every scenario a row', () => {
    const missing = rows.filter(({ operationId }) => !(operationId in scenarios))
    const hint = 'add an entry to test/contract/scenarios for each of these operations of the route table'
    expect(
      missing.map(({ operationId }) => operationId),
      hint,
    ).toEqual([])
    const known = new Set<string>(rows.map(({ operationId }) => operationId))
    const stale = Object.keys(scenarios).filter((operationId) => !known.has(operationId))
    expect(stale, 'no longer in the route table: remove the entries').toEqual([])
  })

  test.for(rows)(
    'every documented status of $operationId is produced, or has a reason why not',
    (row, { description }) => {
      const documented = description.statusesOf(row.operationId) ?? []
      const scenario = scenarioOf(row)
      const hint = `statuses of ${row.operationId} without an entry in test/contract/scenarios`
      expect(
        documented.filter((status) => !(status in scenario)),
        hint,
      ).toEqual([])
      expect(documented, 'the description has the statuses of the row').toEqual(
        expect.arrayContaining(namedStatuses(row)),
      )
      const own = Object.keys(scenarios[row.operationId] ?? {}).map(Number)
      expect(
        own.filter((status) => !documented.includes(status)),
        'an entry for a status that is not documented',
      ).toEqual([])
    },
  )
})

const descriptions = [fullDescription(), legacyDescription()]
const known = readDescriptions(descriptions.map((description) => JSON.stringify(description)))

/** Every documented status that can be produced. */
const cases = rows.flatMap((row) =>
  (known.statusesOf(row.operationId) ?? [])
    .map((status) => ({ row, status, make: scenarioOf(row)[status], operationId: row.operationId }))
    .filter((one): one is typeof one & { make: Make } => typeof one.make === 'function'),
)

describe('every documented status of every route', () => {
  test.for(cases)(
    '$operationId answers $status',
    async ({ row, status, make }, { api, org, token: full, emptyToken }) => {
      const isBucket = status === 429 && row.counted
      const token = isBucket ? emptyToken : full
      const made = await make({ api, org, token })
      const caller = row.access === 'none' ? undefined : callerOf(row, { admin: org.admin, token })
      const call: CallOptions = { token: caller, ...made }
      const ask = () => api.call(row.operationId, call)
      const reply = isBucket ? await whenExhausted(api, token, ask) : await ask()
      expect(reply.status, reply.text).toBe(status)
      if (status === 201 && reply.headers.has('location')) await canBeRead(api, reply.headers, call)
    },
  )
})

/** A Location is one of our paths. If it has GET, the created resource can be read there. */
async function canBeRead(
  api: { request(path: string, options: CallOptions): Promise<{ status: number; text: string }> },
  headers: Headers,
  { token }: CallOptions,
): Promise<void> {
  const location = headers.get('location') ?? ''
  expect(location).toMatch(/^(?:\/legacy)?\/api\/v1\//)
  const { status, text } = await api.request(location, { token })
  expect([200, 405], `${location}: ${text}`).toContain(status)
}
