import type { BatchResult } from '@whereabouts/contracts/resources/catalog/batches'
import { saveLimits } from '@whereabouts/db/schema/usage'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'

type Table = 'assets' | 'locations'
type Item = Record<string, unknown>

async function send(catalog: Catalog, table: Table, items: unknown[], query = ''): Promise<BatchResult[]> {
  const answer = await catalog.post(`/${table}/batch${query}`, { items })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json().data
}
const statuses = (results: readonly BatchResult[]) => results.map(({ status }) => status)
const stored = async (catalog: Catalog, table: Table) =>
  (await catalog.get(`/${table}?limit=200&window=any`)).json().data
const rfid = (value: string) => ({ tag_type: 'rfid', value })

describe('D12.9 a batch', () => {
  test.for(['assets', 'locations'] as const)(
    'of %s creates, updates, leaves and fails, in order',
    async (table, { catalog, replica }) => {
      const items: Item[] = [
        { external_key: 'A', name: 'First', description: 'd', tags: [rfid('1'), rfid('2')] },
        { external_key: 'B', name: 'Second', valid_to: '2090-01-01T00:00:00Z' },
      ]
      expect(statuses(await send(catalog, table, items))).toEqual(['created', 'created'])
      await catalog.takeEvents()
      for (const service of [catalog, replica, catalog])
        expect(statuses(await send(service, table, items))).toEqual(['unchanged', 'unchanged'])
      expect(await catalog.takeEvents()).toEqual([])
      const results = await send(catalog, table, [
        { external_key: 'A', name: 'Renamed' },
        { external_key: 'B', tags: [rfid('1')] },
        { external_key: 'C' },
        { external_key: 'B', name: 'Twice' },
        { name: 'No key' },
        7,
        null,
        { external_key: 'D', name: ' ', unknown: 1, tags: [rfid('')] },
        { external_key: 'E', name: 'Last' },
      ])
      const [a, b] = await stored(catalog, table)
      expect(results).toEqual([
      { index: 0, status: 'updated', id: a.id, error: null },
      { index: 1, status: 'failed', id: null, error: {
        type: 'conflict', detail: 'tag rfid:1 already exists',
        conflict: { resource: table.slice(0, -1), id: a.id, external_key: 'A' } } },
      { index: 2, status: 'failed', id: null, error: expect.objectContaining({ type: 'validation_error', detail: 'name is required' }) },
      { index: 3, status: 'failed', id: null, error: { type: 'conflict', detail: 'external_key is already in items[1]' } },
      { index: 4, status: 'failed', id: null, error: expect.objectContaining({ fields: [{ field: 'external_key', code: 'required', message: 'external_key is required' }] }) },
      { index: 5, status: 'failed', id: null, error: expect.objectContaining({ type: 'validation_error', detail: 'item must be an object' }) },
      { index: 6, status: 'failed', id: null, error: expect.objectContaining({ type: 'validation_error' }) },
      { index: 7, status: 'failed', id: null, error: expect.objectContaining({ fields: [
        expect.objectContaining({ field: 'unknown', code: 'unknown_field' }),
        expect.objectContaining({ field: 'name' }),
        expect.objectContaining({ field: 'tags[0].value', code: 'too_short' }),
      ] }) },
      { index: 8, status: 'created', id: expect.any(Number), error: null },
    ]) // oxfmt-ignore
      expect(a).toMatchObject({ name: 'Renamed', description: 'd', tags: [rfid('1'), rfid('2')] })
      expect(b).toMatchObject({ name: 'Second', valid_to: '2090-01-01T00:00:00.000Z', tags: [] })
      const events = await catalog.takeEvents()
      expect(events.map(({ type }) => type).toSorted()).toEqual([
        `${table.slice(0, -1)}.created`,
        `${table.slice(0, -1)}.updated`,
      ])
    },
  )

  test('tags are the whole set if sent; null leaves them, and a tag may go from one item to a later one', async ({
    catalog,
  }) => {
    await send(catalog, 'assets', [
      { external_key: 'A', name: 'a', tags: [rfid('1'), rfid('2')] },
      { external_key: 'B', name: 'b' },
    ])
    const tagsOf = async () =>
      (await stored(catalog, 'assets')).map(({ tags }: { tags: Item[] }) => tags.map(({ value }) => value))
    expect(statuses(await send(catalog, 'assets', [{ external_key: 'A', tags: null }]))).toEqual([
      'unchanged',
    ])
    await send(catalog, 'assets', [
      { external_key: 'A', tags: [rfid('2')] },
      { external_key: 'B', tags: [rfid('1')] },
    ])
    expect(await tagsOf()).toEqual([['2'], ['1']])
    await send(catalog, 'assets', [{ external_key: 'A', tags: [] }])
    expect(await tagsOf()).toEqual([[], ['1']])
  })

  test('mode=create fails what exists and says what has the key; mode=update fails what does not', async ({
    catalog,
  }) => {
    const { id } = await catalog.asset({ external_key: 'OLD' })
    const items = [
      { external_key: 'OLD', name: 'x' },
      { external_key: 'NEW', name: 'x' },
    ]
    expect(await send(catalog, 'assets', items, '?mode=update')).toMatchObject([
      { status: 'updated', id },
      { status: 'failed', id: null, error: { type: 'not_found', detail: 'Asset not found' } },
    ])
    expect(await send(catalog, 'assets', items, '?mode=create')).toMatchObject([
      {
        status: 'failed',
        error: {
          type: 'conflict',
          detail: 'asset OLD already exists',
          conflict: { resource: 'asset', id, external_key: 'OLD' },
        },
      },
      { status: 'created' },
    ])
  })

  test('dry_run=true says the same and changes nothing', async ({ catalog }) => {
    const { id } = await catalog.location({ external_key: 'OLD' })
    const items = [
      { external_key: 'OLD', name: 'x' },
      { external_key: 'NEW', name: 'x', parent_external_key: 'OLD' },
      { external_key: 'WRONG' },
    ]
    await catalog.takeEvents()
    for (let round = 0; round < 3; round += 1)
      expect(await send(catalog, 'locations', items, '?dry_run=true')).toMatchObject([
        { status: 'updated', id }, { status: 'created', id: null }, { status: 'failed', id: null },
      ]) // oxfmt-ignore
    expect(await catalog.takeEvents()).toEqual([])
    expect(await stored(catalog, 'locations')).toMatchObject([{ name: 'Dock' }])
    expect(statuses(await send(catalog, 'locations', items))).toEqual(['updated', 'created', 'failed'])
  })

  test('a location may name an earlier item as its parent, by key; a stored one by id or key', async ({
    catalog,
  }) => {
    const root = await catalog.location({ external_key: 'ROOT' })
    const results = await send(catalog, 'locations', [
      { external_key: 'L1', name: 'x', parent_id: root.id },
      { external_key: 'L2', name: 'x', parent_external_key: 'L1' },
      { external_key: 'L3', name: 'x', parent_id: root.id, parent_external_key: 'ROOT' },
      { external_key: 'L4', name: 'x', parent_external_key: 'L5' },
      { external_key: 'L5', name: 'x', parent_id: 4711 },
      { external_key: 'L6', name: 'x', parent_id: root.id, parent_external_key: 'L1' },
      { external_key: 'L7', name: 'x', parent_id: null, parent_external_key: 'L1' },
      { external_key: 'ROOT', parent_external_key: 'L2' },
      { external_key: 'L2', parent_external_key: null },
    ])
    expect(results.map(({ error }) => error?.fields?.map(({ code }) => code) ?? error?.detail ?? null)).toEqual([
      null, null, null, ['fk_not_found'], ['fk_not_found'], ['ambiguous_fields', 'ambiguous_fields'], ['ambiguous_fields', 'ambiguous_fields'],
      'location ROOT cannot be moved into itself or into a location inside it', 'external_key is already in items[1]',
    ]) // oxfmt-ignore
    const parents = Object.fromEntries(
      (await stored(catalog, 'locations')).map((one: Item) => [one.external_key, one.parent_external_key]),
    )
    expect(parents).toEqual({ ROOT: null, L1: 'ROOT', L2: 'L1', L3: 'ROOT' })
    expect(statuses(await send(catalog, 'locations', [{ external_key: 'L2', parent_id: null }]))).toEqual([
      'updated',
    ])
  })

  test('has 1 to 500 items and known parameters', async ({ catalog }) => {
    const item = (i: number) => ({ external_key: `K${i}`, name: 'x' })
    const many = Array.from({ length: 501 }, (_, i) => item(i))
    for (const [body, query, field, code] of [
      [{}, '', 'items', 'required'],
      [{ items: [] }, '', 'items', 'too_short'],
      [{ items: many }, '', 'items', 'too_long'],
      [{ items: {} }, '', 'items', 'invalid_value'],
      [{ items: [item(1)], more: 1 }, '', 'more', 'unknown_field'],
      [{ items: [item(1)] }, '?mode=replace', 'mode', 'invalid_value'],
      [{ items: [item(1)] }, '?limit=1', 'limit', 'unknown_field'],
    ] as const)
      expect((await catalog.post(`/assets/batch${query}`, body)).json().error.fields).toMatchObject([
        { field, code },
      ])
    expect(new Set(statuses(await send(catalog, 'assets', many.slice(1))))).toEqual(new Set(['created']))
  })

  test('beyond a limit of the organization only what would add fails', async ({ catalog }) => {
    const limitTo = (revision: number, limits: Record<string, number>) =>
      saveLimits(catalog.database.worker.db, { org_id: catalog.orgId, revision, limits })
    await send(catalog, 'assets', [
      { external_key: 'OLD', name: 'x' },
      { external_key: 'OTHER', name: 'x' },
    ])
    await limitTo(1, { assets: 9 })
    const items = [
      ...Array.from({ length: 20 }, (_, i) => ({ external_key: `N${i}`, name: 'new' })),
      { external_key: 'OLD', name: 'Renamed' },
    ]
    items.splice(5, 0, { external_key: 'OTHER', name: 'Renamed' })
    for (let round = 0; round < 3; round += 1) {
      const results = await send(catalog, 'assets', items)
      expect(results.filter(({ status }) => status === 'failed')).toHaveLength(13)
      expect(results[20]?.error).toMatchObject({
        type: 'conflict',
        detail: expect.stringContaining('limit assets'),
      })
      expect([results[5]?.status, results[21]?.status]).toEqual(
        round === 0 ? ['updated', 'updated'] : ['unchanged', 'unchanged'],
      )
    }
    await limitTo(2, { stored_bytes: 8_000 })
    const large = (key: string) => ({ external_key: key, metadata: { text: 'x'.repeat(5_000) } })
    const results = await send(catalog, 'assets', [
      large('N0'),
      large('N1'),
      { external_key: 'N2', description: 'short' },
    ])
    expect(statuses(results)).toEqual(['failed', 'failed', 'updated'])
  })

  test('of two organizations are apart, also with the same keys and tags', async ({ catalog, otherOrg }) => {
    const items = [{ external_key: 'SAME', name: 'x', tags: [rfid('SAME')] }]
    await send(catalog, 'assets', items)
    const theirs = await catalog.post('/assets/batch', { items }, { org: otherOrg })
    expect(theirs.json().data).toMatchObject([{ status: 'created' }])
  })

  test('that run at once end in one of the orders, and none is lost', async ({ catalog, replica }) => {
    for (let round = 0; round < 3; round += 1) {
      const of = (who: string, order: 1 | -1) =>
        Array.from({ length: 60 }, (_, i) => ({
          external_key: `K${i}`,
          name: who,
          tags: [rfid(`${round}-${i}`)],
        })).toSorted(() => order)
      const answers = await Promise.all([
        send(catalog, 'assets', of('a', 1)), send(replica, 'assets', of('b', -1)), send(catalog, 'assets', of('c', -1)), send(replica, 'assets', of('d', 1)),
      ]) // oxfmt-ignore
      expect(new Set(answers.flat().map(({ status }) => status)).has('failed')).toBe(false)
      const all = await stored(catalog, 'assets')
      expect(new Set(all.map(({ name }: Item) => name)).size).toBe(1)
      expect(all).toHaveLength(60)
    }
  })

  test('metadata keeps every digit, or fails the item', async ({ catalog }) => {
    const raw =
      '{"items": [{"external_key": "A", "name": "x", "metadata": {"n": 9007199254740993}}, {"external_key": "B", "name": "x", "metadata": {"n": 5}}]}'
    const answer = await catalog.post('/assets/batch', raw)
    expect(answer.json().data).toMatchObject([
      { status: 'failed', error: { fields: [{ field: 'metadata.n' }] } },
      { status: 'created' },
    ])
  })
})
