import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { enumEntry, tooLong } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { codesOf, kinds, resourcesOf } from './support/resources.ts'
import { UNKNOWN_ID } from './support/rows.ts'

const newTag = (tag_type = 'rfid') => ({ tag_type, value: randomUUID() })
const taken = ({ tag_type, value }: { tag_type: string; value: string }) =>
  `tag ${tag_type}:${value} already exists`

describe('D6 tags', () => {
  test.for(kinds)(
    'D4.2 null and an empty list of tags create a %s without tags',
    async (kind, { api, org }) => {
      const { make } = resourcesOf(api, org.admin, kind)
      for (const tags of [null, [], undefined]) expect((await make({ tags })).tags).toEqual([])
    },
  )

  test.for(kinds)(
    'D6.2 a value of a tag on a %s is kept as sent, of 1 to 255 code points',
    async (kind, { api, org }) => {
      const { make, attach, read } = resourcesOf(api, org.admin, kind)
      const mark = randomUUID()
      const values = [
        `e2 80-${mark}:ab`,
        `E2 80-${mark}:ab`,
        ` ${mark} `,
        `one\ttwo\r\n${mark}`,
        `ünï-📦-${mark}`,
        '📦'.repeat(219) + mark,
        `${mark}/1/2`,
      ]
      const { id } = await make()
      for (const value of values)
        expect((await attach(id, { tag_type: 'ble', value })).body.data).toMatchObject({
          tag_type: 'ble',
          value,
        })
      expect(
        (await read(id)).tags.map(({ value }) => value),
        'the oldest first',
      ).toEqual(values)
      expect((await attach(id, { tag_type: 'ble', value: '📦'.repeat(256) })).body.error.fields).toEqual([
        tooLong('value', 255),
      ])
    },
  )

  test.for(kinds)(
    'D6.2 control characters in a tag of a %s other than tab, CR and LF are refused',
    async (kind, { api, org }) => {
      const { make, attach, create } = resourcesOf(api, org.admin, kind)
      const { id } = await make()
      for (const control of ['\u0000', '\u0001', '\u000b', '\u001f', '\u007f', '\ud800']) {
        const tag = { tag_type: 'rfid', value: `a${control}b` }
        expect(codesOf(await attach(id, tag))).toEqual(['value invalid_value'])
        expect(codesOf(await create({ tags: [newTag(), tag] }))).toEqual(['tags[1].value invalid_value'])
      }
    },
  )

  test.for(kinds)(
    'D19.1 D19.2 D19.6 a barcode of a %s has no ends, may have separators, and conflicts in any spelling',
    async (kind, { api, org }) => {
      const { make, attach, list } = resourcesOf(api, org.admin, kind)
      const { id } = await make()
      const mark = randomUUID()
      const barcode = (value: string) => ({ tag_type: 'barcode', value })
      const attached = await attach(id, barcode(` \t01\u001D21\u0004ü-${mark}\r\n`))
      const value = `01\u001D21\u0004ü-${mark}`
      expect(attached.body.data).toMatchObject(barcode(value))
      for (const same of [value, `01\u001D21\u0004u\u0308-${mark}\n`, `01␝21␄ü-${mark}`])
        expect((await attach(id, barcode(same))).status).toBe(409)
      expect(codesOf(await attach(id, barcode(' \t\r\n')))).toEqual(['value too_short'])
      expect(codesOf(await attach(id, barcode('a\u0001b')))).toEqual(['value invalid_value'])
      for (const q of [value, `01␝21␄U\u0308-${mark}`, `${value}\r\n`])
        expect((await list({ q })).body.data.map((row) => row.id)).toEqual([id])
      for (const tag of [`barcode:${value}`, `barcode:01␝21␄u\u0308-${mark}\n`])
        expect((await list({ tag })).body.data.map((row) => row.id)).toEqual([id])
      expect((await list({ tag: `barcode:01␝21␄Ü-${mark}` })).body.data).toEqual([])
    },
  )

  test.for(kinds)('only rfid, ble and barcode are written to a %s', async (kind, { api, org }) => {
    const { make, attach, create } = resourcesOf(api, org.admin, kind)
    const allowed = ['rfid', 'ble', 'barcode']
    const { id, tags } = await make({ tags: allowed.map(newTag) })
    expect(tags.map(({ tag_type }) => tag_type)).toEqual(allowed)
    for (const tag_type of ['nfc', 'RFID', '', 'rfid '])
      expect((await attach(id, { tag_type, value: 'x' })).body.error.fields).toEqual([
        enumEntry('tag_type', allowed),
      ])
    const wrong = await create({ tags: [{ tag_type: 'qr', value: 'x' }] })
    expect(wrong.body.error.fields).toEqual([enumEntry('tags[0].tag_type', allowed)])
  })

  test('D6.3 a duplicate on any owner, in any request, is a conflict that names type and value', async ({
    api,
    org,
  }) => {
    const [assets, locations] = [
      resourcesOf(api, org.admin, 'asset'),
      resourcesOf(api, org.admin, 'location'),
    ]
    for (const tag of [newTag('rfid'), newTag('ble'), newTag('barcode')]) {
      const owner = await locations.make({ tags: [tag] })
      const replies = [
        await locations.attach(owner.id, tag),
        await assets.attach((await assets.make()).id, tag),
        await assets.create({ tags: [newTag(), tag] }),
        await locations.create({ tags: [tag] }),
      ]
      for (const { body } of replies)
        expect(body.error).toMatchObject({ type: 'conflict', status: 409, detail: taken(tag) })
    }
  })

  test.for(kinds)(
    'D6.3 one tag twice in a new %s is a conflict, and creates nothing',
    async (kind, { api, newOrg }) => {
      const { create, make, list } = resourcesOf(api, (await newOrg()).admin, kind)
      const [tag, other] = [newTag(), newTag()]
      expect((await create({ tags: [tag, other, tag] })).body.error.detail).toBe(taken(tag))
      expect((await list({ include_deleted: true })).body.total_count).toBe(0)
      expect((await make({ tags: [other, tag] })).tags).toMatchObject([other, tag])
    },
  )

  test('D6.3 the natural key is exact, per type and per organization', async ({ api, org, newOrg }) => {
    const { make, attach } = resourcesOf(api, org.admin, 'asset')
    const tag = { tag_type: 'rfid', value: `abc-${randomUUID()}` }
    const { id } = await make({ tags: [tag] })
    const near = [
      { ...tag, value: tag.value.toUpperCase() },
      { ...tag, value: `${tag.value} ` },
      { ...tag, tag_type: 'ble' },
    ]
    for (const other of near) expect((await attach(id, other)).status).toBe(201)
    expect(
      (await resourcesOf(api, (await newOrg()).admin, 'asset').make({ tags: [tag] })).tags,
    ).toMatchObject([tag])
  })

  test('D6.3 a detached tag is free for others and gets a new id', async ({ api, org }) => {
    const [assets, locations] = [
      resourcesOf(api, org.admin, 'asset'),
      resourcesOf(api, org.admin, 'location'),
    ]
    const tag = newTag()
    const [asset, location] = [await assets.make({ tags: [tag] }), await locations.make()]
    const [{ id } = { id: 0 }] = asset.tags
    expect((await assets.detach(asset.id, id)).status).toBe(204)
    const { data } = (await locations.attach(location.id, tag)).body
    expect(data).toEqual({ id: expect.any(Number), ...tag, epc: null })
    expect(data.id).not.toBe(id)
    expect((await assets.detach(asset.id, id)).status).toBe(404)
  })

  test('of simultaneous attaches of one natural key to many owners exactly one succeeds', async ({
    api,
    org,
  }) => {
    const tag = newTag()
    const owners = await Promise.all([...kinds, ...kinds, ...kinds].map(async (kind) => {
      const { make, attach } = resourcesOf(api, org.admin, kind)
      const { id } = await make()
      return () => attach(id, tag)
    })) // oxfmt-ignore
    const replies = await Promise.all(owners.map((attach) => attach()))
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 409, 409, 409, 409, 409,
    ])
  })

  test.for(kinds)(
    'D6.4 attach and detach do not change updated_at or the other tags of a %s',
    async (kind, { api, org }) => {
      const { make, attach, detach, read } = resourcesOf(api, org.admin, kind)
      const before = await make({ tags: [newTag()] })
      const { data } = (await attach(before.id, newTag('barcode'))).body
      expect(await read(before.id)).toEqual({ ...before, tags: [...before.tags, data] })
      await detach(before.id, before.tags[0]?.id ?? 0)
      expect(await read(before.id)).toEqual({ ...before, tags: [data] })
    },
  )

  test.for(kinds)(
    'a tag of a %s is removed once, by its own owner, in its own organization',
    async (kind, { api, org, newOrg }) => {
      const { make, detach, read } = resourcesOf(api, org.admin, kind)
      const [owner, other] = [await make({ tags: [newTag()] }), await make()]
      const [{ id } = { id: 0 }] = owner.tags
      const theirs = resourcesOf(api, (await newOrg()).admin, kind)
      const refused = [
        await detach(other.id, id),
        await detach(owner.id, UNKNOWN_ID),
        await detach(UNKNOWN_ID, id),
        await detach(owner.id, owner.id),
        await theirs.detach(owner.id, id),
        await theirs.detach((await theirs.make()).id, id),
      ]
      expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404])
      expect(await read(owner.id)).toEqual(owner)
      const removed = await detach(owner.id, id)
      expect([removed.status, removed.text, (await detach(owner.id, id)).status]).toEqual([204, '', 404])
    },
  )

  test.for(kinds)(
    'a %s has at most 200 tags: more at once are too_long, one more is a conflict',
    async (kind, { api, org }) => {
      const { make, create, attach, read } = resourcesOf(api, org.admin, kind)
      const tags = Array.from({ length: 200 }, () => newTag())
      const { id, tags: made } = await make({ tags })
      expect(made.map(({ value }) => value)).toEqual(tags.map(({ value }) => value))
      expect((await attach(id, newTag())).body.error.type).toBe('conflict')
      expect((await read(id)).tags).toHaveLength(200)
      expect(codesOf(await create({ tags: [...tags, newTag()] }))).toEqual(['tags too_long'])
    },
  )
})
