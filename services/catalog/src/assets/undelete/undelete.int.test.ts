import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'

const kinds = ['asset', 'location'] as const
type Kind = (typeof kinds)[number]
type Fields = { external_key?: string; tags?: { tag_type: 'rfid' | 'ble' | 'barcode'; value: string }[] }

const make = (catalog: Catalog, kind: Kind, fields: Fields = {}, org?: number) =>
  catalog[kind](fields, org === undefined ? {} : { org })
const pathOf = (kind: Kind, id: number) => `/${kind}s/${id}`
const restore = (catalog: Catalog, kind: Kind, id: number, body: object = {}, org?: number) =>
  catalog.post(`${pathOf(kind, id)}/restore`, body, org === undefined ? {} : { org })
const preview = async (catalog: Catalog, kind: Kind, id: number) =>
  (await catalog.get(`${pathOf(kind, id)}/restore`)).json().data
const detailOf = (res: { json: () => { error: { detail: string } } }) => res.json().error.detail

const rfid = (value: string) => ({ tag_type: 'rfid' as const, value })

describe.for(kinds)('a restore of a deleted %s', (kind) => {
  test('brings back the row and the tags that went with it, in one transaction', async ({ catalog }) => {
    const made = await make(catalog, kind, { tags: [rfid('E1'), rfid('E2')] })
    const path = pathOf(kind, made.id)
    const earlier = await catalog.tag(path, rfid('DETACHED'))
    await catalog.delete(`${path}/tags/${earlier.id}`)
    await catalog.delete(path)
    const gone = await catalog.takeOutbox()
    expect(await preview(catalog, kind, made.id)).toMatchObject({
      [kind]: { id: made.id, deleted_at: expect.any(String), tags: [] },
      tags: [
        { ...rfid('E1'), held_by: null },
        { ...rfid('E2'), held_by: null },
      ],
      key_held_by: null,
    })
    const res = await restore(catalog, kind, made.id)
    expect(res.statusCode).toBe(200)
    const { data, tags_not_restored } = res.json()
    expect(data).toEqual({ ...made, updated_at: expect.any(String) })
    expect(Date.parse(data.updated_at)).toBeGreaterThan(Date.parse(made.updated_at))
    expect(tags_not_restored).toEqual([])
    expect((await catalog.get(path)).json().data).toEqual(data)
    const states = await catalog.takeOutbox()
    expect(states.map(({ subject }) => subject.split('.')[1])).toEqual([kind, 'tag', 'tag'])
    const [revisions] = [gone.map(({ payload }) => Number(payload['revision']))]
    for (const { payload } of states) {
      expect(payload['deleted_at']).toBeNull()
      expect(payload['revision']).toBeGreaterThan(Math.max(...(revisions ?? [])))
    }
  })

  test('is refused while another has its key, and works under another key', async ({ catalog }) => {
    const made = await make(catalog, kind, { external_key: 'KEY' })
    await catalog.delete(pathOf(kind, made.id))
    const other = await catalog[kind]({ external_key: 'KEY', name: 'Other' })
    const refused = await restore(catalog, kind, made.id)
    expect([refused.statusCode, detailOf(refused)]).toEqual([
      409,
      `The external key KEY belongs to the ${kind} “Other” now. Choose another external key to restore this ${kind}.`,
    ])
    expect((await preview(catalog, kind, made.id)).key_held_by).toEqual({
      resource: kind,
      id: other.id,
      external_key: 'KEY',
      name: 'Other',
    })
    expect((await catalog.get(pathOf(kind, made.id))).statusCode).toBe(404)
    const res = await restore(catalog, kind, made.id, { external_key: 'KEY-2' })
    expect(res.json().data).toMatchObject({ id: made.id, external_key: 'KEY-2', deleted_at: null })
  })

  test('names the tags that others have now', async ({ catalog }) => {
    const made = await make(catalog, kind, { tags: [rfid('MINE'), rfid('THEIRS')] })
    await catalog.delete(pathOf(kind, made.id))
    const asset = await catalog.asset({ name: 'Pallet', external_key: 'P-1', tags: [rfid('THEIRS')] })
    const held_by = { resource: 'asset', id: asset.id, external_key: 'P-1', name: 'Pallet' }
    const lost = [{ ...rfid('THEIRS'), epc: null, held_by }]
    expect((await preview(catalog, kind, made.id)).tags).toEqual([
      { ...rfid('MINE'), epc: null, held_by: null },
      ...lost,
    ])
    const { data, tags_not_restored } = (await restore(catalog, kind, made.id)).json()
    expect(data.tags).toMatchObject([rfid('MINE')])
    expect(tags_not_restored).toEqual(lost)
  })

  test('changes nothing the second time, and cannot rename what is live', async ({ catalog }) => {
    const made = await make(catalog, kind, { tags: [rfid('ONCE')] })
    await catalog.delete(pathOf(kind, made.id))
    const first = (await restore(catalog, kind, made.id)).json()
    await catalog.takeOutbox()
    expect((await restore(catalog, kind, made.id)).json()).toEqual(first)
    expect(await catalog.takeOutbox()).toEqual([])
    const renaming = await restore(catalog, kind, made.id, { external_key: 'OTHER' })
    expect(renaming.statusCode).toBe(409)
    expect((await preview(catalog, kind, made.id)).tags).toEqual([])
  })

  test('finds no row of another organization, and none that never was', async ({ catalog, otherOrg }) => {
    const theirs = await make(catalog, kind, {}, otherOrg)
    await catalog.delete(pathOf(kind, theirs.id), { org: otherOrg })
    for (const id of [theirs.id, 4711]) {
      expect((await restore(catalog, kind, id)).statusCode).toBe(404)
      expect((await catalog.get(`${pathOf(kind, id)}/restore`)).statusCode).toBe(404)
    }
    expect((await restore(catalog, kind, theirs.id, {}, otherOrg)).statusCode).toBe(200)
  })

  test('of simultaneous restores and creates of one key exactly one has it', async ({ catalog, replica }) => {
    for (let round = 0; round < 5; round += 1) {
      const [key, tag] = [`RACE-${round}`, rfid(`RACE-${round}`)]
      const made = await make(catalog, kind, { external_key: key, tags: [tag] })
      await catalog.delete(pathOf(kind, made.id))
      const create = (on: Catalog) => on.post(`/${kind}s`, { name: 'New', external_key: key, tags: [tag] })
      const replies = await Promise.all([
        create(replica),
        restore(catalog, kind, made.id),
        restore(replica, kind, made.id),
        create(catalog),
      ])
      const codes = replies.map(({ statusCode }) => statusCode)
      expect(
        codes.every((code) => [200, 201, 409].includes(code)),
        String(codes),
      ).toBe(true)
      const live = (await catalog.get(`/${kind}s?external_key=${key}`)).json().data
      expect(live).toMatchObject([{ tags: [tag] }])
      expect(codes.filter((code) => code === 201)).toHaveLength(live[0].id === made.id ? 0 : 1)
    }
  })

  test('of simultaneous restores and attachments of one tag exactly one has it', async ({
    catalog,
    replica,
  }) => {
    const other = await catalog.asset()
    for (let round = 0; round < 5; round += 1) {
      const tag = rfid(`TAG-${round}`)
      const made = await make(catalog, kind, { tags: [tag] })
      await catalog.delete(pathOf(kind, made.id))
      const [attached, restored] = await Promise.all([
        replica.post(`/assets/${other.id}/tags`, tag),
        restore(catalog, kind, made.id),
      ])
      expect(restored.statusCode).toBe(200)
      const isAttached = attached.statusCode === 201
      expect(restored.json().data.tags).toHaveLength(isAttached ? 0 : 1)
      expect(restored.json().tags_not_restored).toHaveLength(isAttached ? 1 : 0)
    }
  })

  test('never takes the number that is being minted (D4.4)', async ({ catalog, replica }) => {
    const prefix = kind === 'asset' ? 'ASSET' : 'LOC'
    for (let round = 0; round < 5; round += 1) {
      const made = await make(catalog, kind)
      expect(made.external_key).toMatch(new RegExp(`^${prefix}-`))
      await catalog.delete(pathOf(kind, made.id))
      const [minted, restored] = await Promise.all([
        replica.post(`/${kind}s`, { name: 'Minted' }),
        restore(catalog, kind, made.id),
      ])
      expect(minted.statusCode).toBe(201)
      expect([200, 409]).toContain(restored.statusCode)
    }
  })
})

describe('the parent of a restored location', () => {
  async function deletedBelow(catalog: Catalog) {
    const hall = await catalog.location({ name: 'Hall', external_key: 'HALL' })
    const dock = await catalog.location({ parent_id: hall.id })
    await catalog.delete(`/locations/${dock.id}`)
    return { hall, dock }
  }

  test('is the old one while it is live', async ({ catalog }) => {
    const { hall, dock } = await deletedBelow(catalog)
    expect((await preview(catalog, 'location', dock.id)).parent).toEqual({
      id: hall.id,
      external_key: 'HALL',
      name: 'Hall',
      deleted_at: null,
    })
    const { data } = (await restore(catalog, 'location', dock.id)).json()
    expect(data).toMatchObject({ parent_id: hall.id, parent_external_key: 'HALL' })
    const children = (await catalog.get(`/locations/${hall.id}/children`)).json().data
    expect(children).toMatchObject([{ id: dock.id }])
  })

  test('is asked for if the old one is deleted: no silent move', async ({ catalog }) => {
    const { hall, dock } = await deletedBelow(catalog)
    await catalog.delete(`/locations/${hall.id}`)
    const refused = await restore(catalog, 'location', dock.id)
    expect([refused.statusCode, detailOf(refused)]).toEqual([
      409,
      'The parent location “Hall” (HALL) is deleted. Restore it first, ' +
        'or choose another parent location or the top level.',
    ])
    const { data } = (await restore(catalog, 'location', dock.id, { parent_id: null })).json()
    expect(data).toMatchObject({ parent_id: null, parent_external_key: null })
    expect((await restore(catalog, 'location', hall.id, { parent_id: dock.id })).json().data).toMatchObject({
      parent_id: dock.id,
    })
  })

  test('must be a live location of the organization', async ({ catalog, otherOrg }) => {
    const { dock } = await deletedBelow(catalog)
    const theirs = await catalog.location({}, { org: otherOrg })
    const gone = await catalog.location()
    await catalog.delete(`/locations/${gone.id}`)
    for (const parent_id of [theirs.id, gone.id, dock.id, 4711]) {
      const res = await restore(catalog, 'location', dock.id, { parent_id })
      expect(res.json().error.fields).toMatchObject([{ field: 'parent_id', code: 'fk_not_found' }])
    }
    expect((await restore(catalog, 'location', dock.id, { parent_id: null })).statusCode).toBe(200)
    const moving = await restore(catalog, 'location', dock.id, { parent_id: theirs.id })
    expect(moving.statusCode).toBe(409)
  })

  test('is never deleted under it, and never becomes a circle', async ({ catalog, replica }) => {
    for (let round = 0; round < 5; round += 1) {
      const hall = await catalog.location()
      const dock = await catalog.location({ parent_id: hall.id })
      await catalog.delete(`/locations/${dock.id}`)
      const [removed, restored, moved] = await Promise.all([
        replica.delete(`/locations/${hall.id}`),
        restore(catalog, 'location', dock.id),
        replica.patch(`/locations/${hall.id}`, { parent_id: dock.id }),
      ])
      if (restored.statusCode === 200) {
        expect(removed.statusCode).not.toBe(204)
        expect((await catalog.get(`/locations/${dock.id}/ancestors`)).json().total_count).toBe(1)
      }
      expect([200, 400, 404, 409]).toContain(moved.statusCode)
    }
  })
})
