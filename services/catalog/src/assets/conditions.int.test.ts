import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../test/catalog.fixture.ts'

const match = (etag: string) => ({ headers: { 'if-match': etag } })
const noneMatch = (etag: string) => ({ headers: { 'if-none-match': etag } })
const etagOf = async (catalog: Catalog, path: string) => String((await catalog.get(path)).headers.etag)
const paths = async (catalog: Catalog) => {
  const asset = await catalog.asset()
  const parent = await catalog.location({ external_key: 'PARENT' })
  const location = await catalog.location({ parent_id: parent.id })
  return {
    asset: `/assets/${asset.id}`,
    location: `/locations/${location.id}`,
    parent: `/locations/${parent.id}`,
  }
}

describe('D12.7 an entity tag', () => {
  test.for(['asset', 'location'] as const)(
    'of an %s changes with it and with its tags, and with nothing else',
    async (kind, { catalog, replica }) => {
      const path = (await paths(catalog))[kind]
      const seen = [await etagOf(catalog, path)]
      expect(seen[0]).toMatch(/^"[\w-]{22}"$/)
      expect(await etagOf(replica, path)).toBe(seen[0])
      const { data: tag } = (await catalog.post(`${path}/tags`, { tag_type: 'ble', value: 'T' })).json()
      seen.push(await etagOf(catalog, path))
      await catalog.delete(`${path}/tags/${tag.id}`)
      expect(await etagOf(catalog, path)).toBe(seen[0])
      const changed = await catalog.patch(path, { name: 'Renamed' })
      seen.push(await etagOf(catalog, path))
      expect(changed.headers.etag).toBe(seen[2])
      await catalog.post(`${path}/rename`, { external_key: 'OTHER' })
      seen.push(await etagOf(catalog, path))
      expect(new Set(seen).size).toBe(4)
    },
  )

  test('of a location changes with the key of its parent', async ({ catalog }) => {
    const { location, parent } = await paths(catalog)
    const before = await etagOf(catalog, location)
    await catalog.post(`${parent}/rename`, { external_key: 'OTHER' })
    expect(await etagOf(catalog, location)).not.toBe(before)
  })

  test.for(['asset', 'location'] as const)(
    'D12.14 If-None-Match on GET and HEAD of an %s: 304 for what the client has',
    async (kind, { catalog }) => {
      const path = (await paths(catalog))[kind]
      const etag = await etagOf(catalog, path)
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
        for (const method of ['GET', 'HEAD'] as const) {
          const answer = await catalog.call(method as 'GET', path, undefined, noneMatch(sent))
          expect([answer.statusCode, answer.body, answer.headers.etag]).toEqual([304, '', etag])
        }
      for (const sent of ['"other"', 'no tag', etag.slice(0, -1)])
        expect((await catalog.get(path, noneMatch(sent))).statusCode).toBe(200)
      expect((await catalog.patch(path, { name: 'x' }, noneMatch('*'))).statusCode).toBe(200)
      expect((await catalog.get(`${path}9`, noneMatch('*'))).statusCode).toBe(404)
    },
  )

  test.for(['asset', 'location'] as const)(
    'If-Match on PATCH and DELETE of an %s: 412 for another state',
    async (kind, { catalog }) => {
      const path = (await paths(catalog))[kind]
      const etag = await etagOf(catalog, path)
      for (const sent of ['"other"', `W/${etag}`, 'no tag', '']) {
        for (const answer of [
          await catalog.patch(path, { name: 'x' }, match(sent)),
          await catalog.delete(path, match(sent)),
        ])
          expect(answer.json().error).toMatchObject({
            type: 'precondition_failed',
            title: 'Precondition failed',
            status: 412,
          })
      }
      expect(await etagOf(catalog, path)).toBe(etag)
      const { headers } = await catalog.patch(path, { name: 'x' }, match(`"other", ${etag}`))
      expect((await catalog.patch(path, { name: 'y' }, match(etag))).statusCode).toBe(412)
      expect((await catalog.patch(path, { name: 'y' }, match('*'))).statusCode).toBe(200)
      expect((await catalog.delete(path, match(String(headers.etag)))).statusCode).toBe(412)
      expect((await catalog.delete(path, match(await etagOf(catalog, path)))).statusCode).toBe(204)
      for (const sent of [etag, '*']) {
        expect((await catalog.delete(path, match(sent))).statusCode).toBe(404)
        expect((await catalog.patch(path, {}, match(sent))).statusCode).toBe(404)
      }
    },
  )

  test('412 comes before the rules that need the stored row', async ({ catalog }) => {
    const { asset, parent } = await paths(catalog)
    expect((await catalog.patch(asset, { external_key: 'DIFFERS' }, match('"other"'))).statusCode).toBe(412)
    expect((await catalog.patch(asset, { external_key: 'DIFFERS' }, match('*'))).statusCode).toBe(400)
    expect((await catalog.delete(parent, match('"other"'))).statusCode).toBe(412)
    expect((await catalog.delete(parent, match('*'))).statusCode).toBe(409)
    expect((await catalog.patch(asset, { name: '' }, match('"other"'))).statusCode).toBe(400)
  })

  test('of many writers with one state, one succeeds, round after round', async ({ catalog, replica }) => {
    const { asset } = await paths(catalog)
    for (let round = 0; round < 4; round += 1) {
      const etag = await etagOf(catalog, asset)
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 ? catalog : replica).patch(asset, { name: `n${round}${i}` }, match(etag)),
        ),
      )
      expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
        200,
        ...Array(7).fill(412),
      ])
    }
  })

  test('the legacy vocabulary ignores conditions', async ({ catalog }) => {
    await catalog.asset({ external_key: 'OLD' })
    const as = { vocabulary: 'legacy', headers: { 'if-match': '"other"', 'if-none-match': '*' } } as const
    expect((await catalog.get('/assets/OLD', as)).statusCode).toBe(200)
    expect(
      (await catalog.call('PUT', '/assets/OLD', { name: 'x' }, { ...as, mediaType: 'application/json' }))
        .statusCode,
    ).toBe(200)
  })
})
