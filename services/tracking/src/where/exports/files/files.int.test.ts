import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { contentOf, exported, fill, iso, midnight, open } from '../../../../test/exports/exports.fixture.ts'
import { test, type Tracking } from '../../../../test/tracking.fixture.ts'
import { PART_BYTES } from '../job/export-parts.ts'

/** A file of several parts, because names of random digits do not become shorter. */
async function largeFile(tracking: Tracking) {
  await sql`
    insert into asset (org_id, id, revision, external_key, name, valid_from)
    select 1, n, n, 'A-' || n, (select string_agg(md5(n || ':' || i), '') from generate_series(1, 6) as i), now()
    from generate_series(1, 30000) as n`.execute(tracking.db)
  const { files } = await exported(tracking, { dataset: 'assets', format: 'csv' })
  const [file] = files
  if (!file) throw new Error('there is a file')
  expect(file.bytes).toBeGreaterThan(2 * PART_BYTES)
  return { ...file, content: await contentOf(tracking, file.url) }
}

async function smallFile(tracking: Tracking) {
  await fill(tracking, { assets: [5], minutes: 60, from: midnight(1), locations: [1] })
  const range = { from: iso(midnight(1)), to: iso(midnight(0)) }
  const { files, id } = await exported(tracking, { dataset: 'history', format: 'parquet', ...range })
  const [file] = files
  if (!file) throw new Error('there is a file')
  return { ...file, id }
}

describe('D22.3 the link to a file', () => {
  test('D22.3 needs no credentials, and says what the file is', async ({ tracking }) => {
    const { url, bytes, sha256, name } = await smallFile(tracking)
    const res = await open(tracking, url)
    expect(res.statusCode).toBe(200)
    expect(res.headers).toMatchObject({
      'content-type': 'application/vnd.apache.parquet',
      'content-length': String(bytes),
      'content-disposition': `attachment; filename="${name}"`,
      'accept-ranges': 'bytes',
      etag: `"${sha256}"`,
    })
    const head = await open(tracking, url, {}, 'HEAD')
    expect([head.statusCode, head.rawPayload.length]).toEqual([200, 0])
    expect(head.headers['content-length']).toBe(String(bytes))
  })

  test('D22.3 another signature, file or export is 404, and no signature is 400', async ({ tracking }) => {
    const { url, name, id } = await smallFile(tracking)
    const [path = '', signature = ''] = url.split('?signature=')
    for (const wrong of [
      `${path}?signature=${signature.slice(0, -1)}`,
      `${path}?signature=${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
      `${path}?signature=`,
      url.replace(name, `x-${name}`),
      url.replace(String(id), String(id + 1)),
    ])
      expect((await open(tracking, wrong)).statusCode, wrong).toBe(404)
    expect((await open(tracking, path)).statusCode).toBe(400)
  })

  test('D22.3 ranges are exact, within a part and over its borders', async ({ tracking }) => {
    const { url, bytes, content } = await largeFile(tracking)
    expect(content.length).toBe(bytes)
    for (const [range, first, last] of [
      ['bytes=0-0', 0, 0],
      ['bytes=10-19', 10, 19],
      [`bytes=${PART_BYTES - 1}-${PART_BYTES}`, PART_BYTES - 1, PART_BYTES],
      [`bytes=5-${2 * PART_BYTES + 5}`, 5, 2 * PART_BYTES + 5],
      [`bytes=${PART_BYTES}-`, PART_BYTES, bytes - 1],
      ['bytes=-7', bytes - 7, bytes - 1],
      [`bytes=${bytes - 1}-${bytes + 100}`, bytes - 1, bytes - 1],
      [`bytes=-${bytes + 1}`, 0, bytes - 1],
    ] as const) {
      const res = await open(tracking, url, { range })
      expect(res.statusCode, range).toBe(206)
      expect(res.headers['content-range']).toBe(`bytes ${first}-${last}/${bytes}`)
      expect(res.rawPayload.equals(content.subarray(first, last + 1)), range).toBe(true)
    }
  })

  test('D22.3 a range behind the end is 416, and one that is not understood gives the whole file', async ({
    tracking,
  }) => {
    const { url, bytes } = await smallFile(tracking)
    for (const range of [`bytes=${bytes}-`, 'bytes=-0']) {
      const res = await open(tracking, url, { range })
      expect(res.statusCode, range).toBe(416)
      expect(res.headers['content-range']).toBe(`bytes */${bytes}`)
      expect(res.json().error.type).toBe('range_not_satisfiable')
    }
    for (const range of ['bytes=0-1,3-4', 'bytes=9-1', 'bytes=-', 'rows=1-2', 'bytes=a-b']) {
      const res = await open(tracking, url, { range })
      expect([res.statusCode, res.rawPayload.length], range).toEqual([200, bytes])
    }
  })

  test('D22.3 If-Range takes the part of the same file only, and If-None-Match answers 304', async ({
    tracking,
  }) => {
    const { url, sha256, bytes } = await smallFile(tracking)
    const of = async (headers: Record<string, string>) => {
      const res = await open(tracking, url, headers)
      return [res.statusCode, res.rawPayload.length]
    }
    expect(await of({ range: 'bytes=0-9', 'if-range': `"${sha256}"` })).toEqual([206, 10])
    expect(await of({ range: 'bytes=0-9', 'if-range': '"other"' })).toEqual([200, bytes])
    expect(await of({ range: 'bytes=0-9', 'if-range': `W/"${sha256}"` })).toEqual([200, bytes])
    expect(await of({ 'if-none-match': `"${sha256}"` })).toEqual([304, 0])
  })
})
