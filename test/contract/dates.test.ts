import { describe, expect } from 'vitest'
import { entry, notATime, nullEntry } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { codesOf, kinds, resourcesOf } from './support/resources.ts'

/** Both ways to write the window: create and change. */
const writes = kinds.flatMap((kind) => (['POST', 'PATCH'] as const).map((method) => ({ kind, method })))

/** Creates one with this body, or changes a new one to it. */
function writer(
  api: Parameters<typeof resourcesOf>[0],
  token: string,
  { kind, method }: (typeof writes)[number],
) {
  const { create, patch, make } = resourcesOf(api, token, kind)
  return async (body: object) => (method === 'POST' ? create(body) : patch((await make()).id, body))
}

const zero = (field: string) => entry(field, 'invalid_value', `${field} must not be a zero-time placeholder`)
const inverted = entry('valid_to', 'invalid_value', 'valid_to must be later than valid_from')

describe('inbound timestamps', () => {
  const spellings: [sent: string, shown: string][] = [
    ['2020-06-01T12:00:00Z', '2020-06-01T12:00:00.000Z'],
    ['2020-06-01T12:00:00.1Z', '2020-06-01T12:00:00.100Z'],
    ['2020-06-01T12:00:00.123456Z', '2020-06-01T12:00:00.123Z'],
    ['2020-06-01T12:00:00.999999999Z', '2020-06-01T12:00:00.999Z'],
    ['2020-06-01T12:00:00.1239999+05:30', '2020-06-01T06:30:00.123Z'],
    ['2020-06-01T00:30:00-10:45', '2020-06-01T11:15:00.000Z'],
    ['2020-12-31T23:59:59-00:01', '2021-01-01T00:00:59.000Z'],
    ['2020-02-29T12:00:00+00:00', '2020-02-29T12:00:00.000Z'],
    ['2020-06-01t12:00:00z', '2020-06-01T12:00:00.000Z'],
    ['1969-07-20T20:17:40.9999999Z', '1969-07-20T20:17:40.999Z'],
    ['0001-01-01T00:00:00.001Z', '0001-01-01T00:00:00.001Z'],
  ]
  test.for(writes)(
    '$method $kind: any offset and any precision comes back in UTC with three digits',
    async (write, { api, token }) => {
      const send = writer(api, token, write)
      for (const [valid_from, shown] of spellings)
        expect((await send({ valid_from })).body.data.valid_from, valid_from).toBe(shown)
      expect((await send({ valid_to: '2999-12-31T23:59:59.9999999+14:00' })).body.data.valid_to).toBe(
        '2999-12-31T09:59:59.999Z',
      )
    },
  )

  test.for(kinds)(
    'the window of a %s is kept in microseconds: finer digits are cut off, not rounded',
    async (kind, { api, org }) => {
      const { create } = resourcesOf(api, org.admin, kind)
      const at = (digits: string) => `2020-01-01T00:00:00.${digits}Z`
      expect((await create({ valid_from: at('1234561'), valid_to: at('123457') })).status).toBe(201)
      const same = await create({ valid_from: at('1234561'), valid_to: at('1234569') })
      expect(same.body.error.fields).toEqual([inverted])
    },
  )
})

describe('date rules', () => {
  test.for(kinds)(
    'date rule 1 valid_from of a %s is the creation time when it is left out',
    async (kind, { api, org }) => {
      const { make, patch } = resourcesOf(api, org.admin, kind)
      const made = await make()
      expect(made.valid_from).toBe(made.created_at)
      expect(Math.abs(Date.parse(made.created_at) - Date.now())).toBeLessThan(60_000)
      const changed = (await patch(made.id, { name: 'Other' })).body.data
      expect(changed.valid_from, 'and stays').toBe(made.valid_from)
    },
  )

  test.for(writes)(
    'date rule 2 $method $kind: valid_from null is invalid_value',
    async (write, { api, token }) => {
      const reply = await writer(api, token, write)({ valid_from: null })
      expect(reply.body.error.fields).toEqual([nullEntry('valid_from', 'string')])
    },
  )

  test.for(writes)(
    'date rule 3 $method $kind: valid_to null means no expiry',
    async (write, { api, token }) => {
      expect((await writer(api, token, write)({ valid_to: null })).body.data.valid_to).toBeNull()
    },
  )

  test.for(kinds)(
    'date rule 3 valid_to of a %s is cleared by null, and stays when it is left out',
    async (kind, { api, org }) => {
      const { make, patch } = resourcesOf(api, org.admin, kind)
      const { id, valid_to } = await make({ valid_to: '2999-01-01T00:00:00Z' })
      expect((await patch(id, {})).body.data.valid_to).toBe(valid_to)
      expect((await patch(id, { valid_to: null })).body.data.valid_to).toBeNull()
    },
  )

  const zeros = ['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000000000Z', '1970-01-01T05:30:00+05:30', '1969-12-31T19:00:00-05:00', '0001-01-01T10:00:00+10:00', '1970-01-01T00:00:00.000999Z'] // oxfmt-ignore
  test.for(writes)(
    'date rule 4 $method $kind: zero times are invalid_value in any spelling',
    async (write, { api, token }) => {
      const send = writer(api, token, write)
      for (const at of zeros) {
        const { error } = (await send({ valid_from: at, valid_to: at })).body
        expect(error.fields, at).toEqual([zero('valid_from'), zero('valid_to')])
      }
    },
  )

  const near = ['0001-01-01T00:00:01Z', '1970-01-01T00:00:00.001Z', '1970-01-01T00:00:01Z', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00-00:01', '1970-01-01T00:00:00+14:00'] // oxfmt-ignore
  test.for(writes)(
    'date rule 4 $method $kind: instants near the zero times are accepted',
    async (write, { api, token }) => {
      const send = writer(api, token, write)
      for (const valid_from of near) {
        const { valid_from: shown } = (await send({ valid_from })).body.data
        expect(shown).toBe(new Date(valid_from).toISOString())
      }
    },
  )

  const notTimestamps = ['', ' ', '2026-11-21', '2026/11/21', '2026/11/21 10:00:00Z', '2026-11-21T10:00:00', '2026-11-21 10:00:00Z', '2026-11-21T10:00Z', '2026-11-21T10:00:00+0530', '2026-11-21T10:00:00.Z', '2026-02-30T10:00:00Z', '2025-02-29T10:00:00Z', '2026-13-01T00:00:00Z', '2026-11-21T24:00:00Z', '2026-11-21T10:60:00Z', '20261121T100000Z', '1795255200', 'now', ' 2026-11-21T10:00:00Z', '2026-11-21T10:00:00Z\n', '+02026-11-21T10:00:00Z', '10000-01-01T00:00:00Z'] // oxfmt-ignore
  test.for(writes)(
    'date rule 5 $method $kind: text that is not an RFC 3339 timestamp is refused, on both bounds',
    async (write, { api, token }) => {
      const send = writer(api, token, write)
      for (const text of notTimestamps) {
        const { error } = (await send({ valid_from: text, valid_to: text })).body
        expect(error?.fields, text).toEqual([notATime('valid_from'), notATime('valid_to')])
      }
    },
  )

  test.for(kinds)(
    'date rule 6 a %s without a window shows neither a zero time nor a far future',
    async (kind, { api, org }) => {
      const { make, read, list } = resourcesOf(api, org.admin, kind)
      const made = await make({ valid_to: null })
      const rows = (await list({ external_key: made.external_key })).body.data
      for (const { valid_from, valid_to, deleted_at } of [made, await read(made.id), ...rows]) {
        expect([valid_to, deleted_at]).toEqual([null, null])
        expect(Date.parse(valid_from)).toBeGreaterThan(Date.now() - 60_000)
      }
      expect(rows).toHaveLength(1)
    },
  )
})

describe('D4.7 the window', () => {
  const at = '2030-01-01T00:00:00Z'
  test.for(kinds)('D4.7 a window of a new %s ends after it begins', async (kind, { api, org }) => {
    const { create } = resourcesOf(api, org.admin, kind)
    const wrong = [
      { valid_from: at, valid_to: at },
      { valid_from: at, valid_to: '2030-01-01T01:00:00+02:00' },
      { valid_to: '2001-01-01T00:00:00Z' }, // begins now
    ]
    for (const body of wrong) expect((await create(body)).body.error.fields).toEqual([inverted])
  })

  test.for(kinds)(
    'D4.7 D3.2 a window that ended before a new %s is reported with the other problems',
    async (kind, { api, org }) => {
      const reply = await resourcesOf(api, org.admin, kind).create({
        name: '',
        valid_to: '2001-01-01T00:00:00Z',
      })
      expect(codesOf(reply)).toEqual(['name too_short', 'valid_to invalid_value'])
    },
  )

  test.for(kinds)(
    'D4.7 PATCH of a %s checks the merged window, and a refused one changes nothing',
    async (kind, { api, org }) => {
      const { make, patch, read } = resourcesOf(api, org.admin, kind)
      const made = await make({ valid_from: '2020-01-01T00:00:00Z', valid_to: '2040-01-01T00:00:00Z' })
      const wrong = [
        { valid_to: '2019-01-01T00:00:00Z' },
        { valid_to: '2020-01-01T00:00:00Z' },
        { valid_from: '2040-01-01T00:00:00Z' },
        { valid_from: '2041-01-01T00:00:00Z', name: 'Other' },
        { valid_from: at, valid_to: '2029-01-01T00:00:00Z' },
      ]
      for (const body of wrong) {
        expect((await patch(made.id, body)).body.error.fields, JSON.stringify(body)).toEqual([inverted])
        expect(await read(made.id)).toEqual(made)
      }
      const moved = { valid_from: '2050-01-01T00:00:00.000Z', valid_to: '2060-01-01T00:00:00.000Z' }
      expect((await patch(made.id, moved)).body.data, 'both at once may pass the old window').toMatchObject(
        moved,
      )
      expect((await patch(made.id, { valid_to: null, valid_from: '2070-01-01T00:00:00Z' })).status).toBe(200)
    },
  )
})
