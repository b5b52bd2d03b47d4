import type { ExportCreate } from '@whereabouts/contracts/resources/tracking/exports'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect } from 'vitest'
import { createHash } from 'node:crypto'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import {
  begin,
  contentOf,
  dayOf,
  exported,
  fill,
  find,
  finished,
  iso,
  linesOf,
  midnight,
  workerOn,
} from '../../../test/exports/exports.fixture.ts'
import { store } from '../../../test/store.ts'
import { readBy } from '../../../test/read-by.ts'
import { minuteOf } from '../../positions/observation.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'

const MINUTE = 60_000

/** Two assets on two days with a day without rows between them. The shelf is deleted since. */
async function scene(tracking: Tracking) {
  const { catalog } = tracking
  const [one, two] = [catalog.asset(1, 'One'), catalog.asset(1, 'Two')]
  const [dock, shelf] = [catalog.location(1, 'Dock'), catalog.location(1, 'Shelf')]
  const theirs = catalog.asset(2, 'Theirs')
  await tracking.project()
  const read = (asset: { id: number; org_id: number }, location: { id: number } | null, at: number) => ({
    orgId: asset.org_id,
    assetId: asset.id,
    minute: minuteOf(at),
    observedAtMs: at,
    locationId: location && location.id,
    ...readBy('gate'),
  })
  const [first, last] = [midnight(5), midnight(3)]
  await store(tracking.db, tracking.view, [
    read(one, dock, first),
    read(one, shelf, first + 10 * MINUTE + 5),
    read(two, null, first + 24 * 60 * MINUTE - 1),
    read(one, dock, last + 60 * MINUTE),
    read(theirs, dock, last + 60 * MINUTE),
  ])
  catalog.change(shelf, { deleted_at: iso(Date.now()) })
  await tracking.project()
  return { one, two, dock, shelf, first, last }
}

const RANGE = { from: iso(midnight(6)), to: iso(midnight(1)) }

describe('D22.3 POST /exports', () => {
  test('D22.3 history as CSV: a file per day with rows, with rows, bytes and checksum', async ({
    tracking,
  }) => {
    const { one, two, dock, shelf, first, last } = await scene(tracking)
    const result = await exported(tracking, { dataset: 'history', format: 'csv', ...RANGE })
    expect(result).toMatchObject({ status: 'done', progress: 1, rows: 4, problem: null, ...RANGE })
    expect(result.files.map(({ name, day, rows }) => [name, day, rows])).toEqual([
      [`history-${dayOf(first)}.csv.gz`, dayOf(first), 3],
      [`history-${dayOf(last)}.csv.gz`, dayOf(last), 1],
    ])
    const [a, b] = result.files
    expect(await linesOf(tracking, a?.url)).toEqual([
      '\uFEFFasset_id,asset_external_key,observed_at,location_id,location_external_key,reader_key,antenna',
      `${one.id},ONE,${iso(first)},${dock.id},DOCK,gate,1`,
      `${one.id},ONE,${iso(first + 10 * MINUTE + 5)},${shelf.id},,gate,1`,
      `${two.id},TWO,${iso(first + 24 * 60 * MINUTE - 1)},,,gate,1`,
    ])
    expect(await linesOf(tracking, b?.url)).toHaveLength(2)
    const bytes = await contentOf(tracking, a?.url)
    expect(a).toMatchObject({ bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
    expect(result.bytes).toBe((a?.bytes ?? 0) + (b?.bytes ?? 0))
  })

  test('D22.3 history as NDJSON and as Parquet has the same rows', async ({ tracking }) => {
    const { one, two, dock, shelf, first } = await scene(tracking)
    const expected = [
      { at: first, asset: one, location: dock, key: 'DOCK' },
      { at: first + 10 * MINUTE + 5, asset: one, location: shelf, key: null },
      { at: first + 24 * 60 * MINUTE - 1, asset: two, location: null, key: null },
    ].map(({ at, asset, location, key }) => ({
      asset_id: asset.id,
      asset_external_key: asset.external_key,
      observed_at: iso(at),
      location_id: location?.id ?? null,
      location_external_key: key,
      reader_key: 'gate',
      antenna: 1,
    }))
    const text = await exported(tracking, { dataset: 'history', format: 'ndjson', ...RANGE })
    expect((await linesOf(tracking, text.files[0]?.url)).map((line) => JSON.parse(line))).toEqual(expected)
    const parquet = await exported(tracking, { dataset: 'history', format: 'parquet', ...RANGE })
    expect(await rowsOf(tracking, parquet.files[0]?.url)).toEqual(
      expected.map((row) => ({
        asset_id: BigInt(row.asset_id),
        asset_external_key: row.asset_external_key,
        observed_at: new Date(row.observed_at),
        location_id: row.location_id === null ? null : BigInt(row.location_id),
        location_external_key: row.location_external_key,
        reader_key: row.reader_key,
        antenna: row.antenna,
      })),
    )
  })

  test('D22.3 from and to are inclusive, and cut the first and the last day', async ({ tracking }) => {
    const { first } = await scene(tracking)
    const between = async (from: number, to: number) => {
      const { files, rows } = await exported(tracking, {
        dataset: 'history',
        format: 'csv',
        from: iso(from),
        to: iso(to),
      })
      const lines = await Promise.all(files.map(({ url }) => linesOf(tracking, url)))
      expect(lines.flatMap((of) => of.slice(1))).toHaveLength(rows)
      return rows
    }
    const second = first + 10 * MINUTE + 5
    expect(await between(second, second)).toBe(1)
    expect(await between(first, second)).toBe(2)
    expect(await between(first + 1, second - 1)).toBe(0)
    expect(await between(second + 1, midnight(1))).toBe(2)
  })

  test('D22.3 movements name both ends', async ({ tracking }) => {
    const { one, dock, shelf, first } = await scene(tracking)
    const { files, rows } = await exported(tracking, { dataset: 'movements', format: 'ndjson', ...RANGE })
    expect(rows).toBe(3)
    expect((await linesOf(tracking, files[0]?.url)).map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ asset_id: one.id, observed_at: iso(first), from_location_id: null, to_location_external_key: 'DOCK' }), // oxfmt-ignore
      expect.objectContaining({ from_location_id: dock.id, from_location_external_key: 'DOCK', to_location_id: shelf.id, to_location_external_key: null }), // oxfmt-ignore
    ])
  })

  test('D22.3 assets and locations are one file of now, with those that are deleted', async ({
    tracking,
  }) => {
    const { one, two, dock, shelf, last } = await scene(tracking)
    const assets = await exported(tracking, { dataset: 'assets', format: 'ndjson' })
    expect(assets).toMatchObject({
      from: null,
      to: null,
      rows: 2,
      files: [{ name: 'assets.ndjson.gz', day: null }],
    })
    const rows = (await linesOf(tracking, assets.files[0]?.url)).map((line) => JSON.parse(line))
    expect(rows).toEqual([
      expect.objectContaining({ id: one.id, external_key: 'ONE', name: 'One', valid_from: one.valid_from, valid_to: null, deleted_at: null, location_id: dock.id, location_external_key: 'DOCK', asset_last_seen: iso(last + 60 * MINUTE) }), // oxfmt-ignore
      expect.objectContaining({ id: two.id, location_id: null, location_external_key: null }),
    ])
    const locations = await exported(tracking, { dataset: 'locations', format: 'csv' })
    expect((await linesOf(tracking, locations.files[0]?.url)).slice(1)).toEqual([
      `${dock.id},DOCK,Dock,`,
      `${shelf.id},SHELF,Shelf,${shelf.deleted_at}`,
    ])
  })

  test('D22.3 an organization without rows has an export without files, or with a header alone', async ({
    tracking,
  }) => {
    const history = await exported(tracking, { dataset: 'history', format: 'parquet', ...RANGE })
    expect(history).toMatchObject({ status: 'done', progress: 1, rows: 0, files: [] })
    const assets = await exported(tracking, { dataset: 'assets', format: 'parquet' })
    expect(assets).toMatchObject({ rows: 0, files: [{ name: 'assets.parquet', rows: 0 }] })
    expect(await rowsOf(tracking, assets.files[0]?.url)).toEqual([])
  })

  test('D22.3 a spreadsheet runs no text of a CSV, and cells keep commas, quotes and line ends', async ({
    tracking,
  }) => {
    tracking.catalog.asset(1, 'Formula', { name: '=1+1' })
    tracking.catalog.asset(1, 'Quoted', { name: 'a "b", c' })
    await tracking.project()
    const { files } = await exported(tracking, { dataset: 'assets', format: 'csv' })
    const text = gunzipSync(await contentOf(tracking, files[0]?.url)).toString()
    expect(text).toContain(`FORMULA,'=1+1,`)
    expect(text).toContain(`QUOTED,"a ""b"", c",`)
  })

  test('D22.3 without a range it is the whole retention until now', async ({ tracking }) => {
    const id = await begin(tracking, { dataset: 'history', format: 'csv' })
    const { from, to } = await find(tracking, id)
    const days = (Date.parse(to ?? '') - Date.parse(from ?? '')) / 86_400_000
    expect(days).toBe(400)
    const later = await begin(tracking, { dataset: 'history', format: 'csv', to: '2999-01-01T00:00:00Z' })
    expect(Date.parse((await find(tracking, later)).to ?? '')).toBeLessThanOrEqual(Date.now())
  })

  test.for<[Partial<ExportCreate>, string, string]>([
    [{ dataset: 'assets', format: 'csv', from: iso(midnight(1)) }, 'from', 'invalid_context'],
    [{ dataset: 'locations', format: 'csv', to: iso(midnight(1)) }, 'to', 'invalid_context'],
    [
      { dataset: 'history', format: 'csv', from: iso(midnight(1)), to: iso(midnight(2)) },
      'to',
      'invalid_value',
    ],
    [{ dataset: 'history', format: 'csv', from: iso(midnight(401)) }, 'from', 'too_small'],
  ])('D22.3 %o is refused: %s is %s', async ([body, field, code], { tracking }) => {
    const res = await tracking.call('POST', '/exports', { body })
    expect(res.json().error).toMatchObject({ status: 400, fields: [{ field, code }] })
  })

  test('D22.3 no organization sees, opens or deletes the export of another', async ({ tracking }) => {
    await scene(tracking)
    const mine = await exported(tracking, { dataset: 'history', format: 'ndjson', ...RANGE })
    const theirs = await exported(tracking, { dataset: 'history', format: 'ndjson', ...RANGE }, 2)
    expect(theirs.rows).toBe(1)
    const as = { orgId: 2 }
    expect((await tracking.call('GET', `/exports/${mine.id}`, as)).statusCode).toBe(404)
    expect((await tracking.call('DELETE', `/exports/${mine.id}`, as)).statusCode).toBe(404)
    expect((await tracking.call('GET', '/exports', as)).json()).toMatchObject({
      data: [{ id: theirs.id }],
      total_count: 1,
    })
    const crossed = mine.files[0]?.url.replace(String(mine.id), String(theirs.id)) ?? ''
    expect((await tracking.app.inject(crossed)).statusCode).toBe(404)
  })

  test('D22.3 the list is newest first, and has no files', async ({ tracking }) => {
    const ids = []
    for (const dataset of ['assets', 'locations', 'history'] as const)
      ids.unshift(await begin(tracking, { dataset, format: 'csv' }))
    const list = (await tracking.call('GET', '/exports?limit=2')).json()
    expect(list).toMatchObject({ limit: 2, offset: 0, total_count: 3 })
    expect(list.data.map(({ id }: { id: number }) => id)).toEqual(ids.slice(0, 2))
    expect(list.data[0]).not.toHaveProperty('files')
  })

  test('D22.3 many rows are all in the file, each once, in the order of assets and minutes', async ({
    tracking,
  }) => {
    const { dock, shelf } = await scene(tracking)
    const assets = Array.from({ length: 30 }, (_, i) => 5_000 + i)
    const from = midnight(2)
    await fill(tracking, { assets, minutes: 1_440, from, locations: [dock.id, shelf.id] })
    const worker = workerOn(tracking)
    const id = await begin(tracking, {
      dataset: 'history',
      format: 'ndjson',
      from: iso(from),
      to: iso(from + 86_399_999),
    })
    const { files, rows } = await finished(tracking, id)
    await worker.stop()
    expect(rows).toBe(30 * 1_440)
    const seen = (await linesOf(tracking, files[0]?.url)).map((line) => JSON.parse(line))
    expect(seen.map(({ asset_id, observed_at }) => [asset_id, observed_at.slice(0, 16)])).toEqual(
      assets.flatMap((asset) =>
        Array.from({ length: 1_440 }, (_, minute) => [asset, iso(from + minute * MINUTE).slice(0, 16)]),
      ),
    )
  })
})

async function rowsOf(tracking: Tracking, url: string | undefined): Promise<unknown[]> {
  const bytes = await contentOf(tracking, url)
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
  return parquetReadObjects({ file, compressors: { ZSTD: (input) => zstdDecompressSync(input) } })
}
