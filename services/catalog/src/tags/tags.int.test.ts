import { expect } from 'vitest'
import { test } from '../../test/catalog.fixture.ts'

const rfid = (value: string) => ({ tag_type: 'rfid' as const, value })

test.for(['assets', 'locations'])(
  'D6.1 a tag is attached to %s and removed again',
  async (kind, { catalog }) => {
    const { id, updated_at } = kind === 'assets' ? await catalog.asset() : await catalog.location()
    const owner = `/${kind}/${id}`
    const res = await catalog.post(`${owner}/tags`, rfid('E2 80'))
    expect(res.statusCode).toBe(201)
    const { data } = res.json()
    expect(data).toEqual({ id: expect.any(Number), ...rfid('E2 80'), epc: null })
    expect(res.headers['location']).toBe(`/api/v1${owner}/tags/${data.id}`)
    expect((await catalog.get(owner)).json().data).toMatchObject({ tags: [data], updated_at }) // D6.4
    const removed = await catalog.delete(`${owner}/tags/${data.id}`)
    expect([removed.statusCode, removed.body]).toEqual([204, ''])
    expect((await catalog.delete(`${owner}/tags/${data.id}`)).json().error.type).toBe('not_found')
    expect((await catalog.get(owner)).json().data).toMatchObject({ tags: [], updated_at })
  },
)

test.for(['assets', 'locations'])(
  'D16.5 rfid tags of %s carry their EPC, others do not',
  async (kind, { catalog }) => {
    const tags = [
      rfid('0x3074257bf7194e4000001a85'),
      rfid('urn:epc:id:sgtin:0614141.812345.6789'),
      { tag_type: 'barcode' as const, value: '3074257BF7194E4000001A85' },
    ]
    const made = kind === 'assets' ? await catalog.asset({ tags }) : await catalog.location({ tags })
    const pure_identity_uri = 'urn:epc:id:sgtin:0614141.812345.6789'
    const epc = { scheme: 'sgtin-96', pure_identity_uri, company_prefix: '0614141', serial: '6789' }
    const id = expect.any(Number)
    const [hex, pure, barcode] = tags
    const shown = [
      { id, ...hex, epc: { ...epc, uri: 'urn:epc:tag:sgtin-96:3.0614141.812345.6789', filter: 3 } },
      { id, ...pure, epc: { ...epc, uri: pure_identity_uri, filter: null } },
      { id, ...barcode },
    ]
    expect(made.tags).toEqual(shown)
    expect((await catalog.get(`/${kind}/${made.id}`)).json().data.tags).toEqual(shown)
    expect((await catalog.get(`/${kind}?id=${made.id}`)).json().data[0].tags).toEqual(shown)
    const echo = made.tags.map((tag) => ({ ...tag, epc: { scheme: 'other' } }))
    expect((await catalog.patch(`/${kind}/${made.id}`, { tags: echo })).json().data.tags).toEqual(shown)
  },
)

test('tags of an owner are listed oldest first', async ({ catalog }) => {
  const asset = await catalog.asset({ tags: [{ tag_type: 'rfid', value: '9' }] })
  const second = await catalog.tag(`/assets/${asset.id}`, rfid('1'))
  expect((await catalog.get(`/assets/${asset.id}`)).json().data.tags).toEqual([asset.tags[0], second])
})

test('D6.3 a live tag is unique in its organization, over assets and locations', async ({
  catalog,
  otherOrg,
}) => {
  const asset = await catalog.asset({ tags: [{ tag_type: 'rfid', value: 'X' }] })
  const dock = await catalog.location()
  const res = await catalog.post(`/locations/${dock.id}/tags`, rfid('X'))
  expect(res.statusCode).toBe(409)
  expect(res.json().error).toMatchObject({ type: 'conflict', detail: 'tag rfid:X already exists' })
  await catalog.tag(`/locations/${dock.id}`, { tag_type: 'ble', value: 'X' })
  await catalog.tag(`/locations/${dock.id}`, rfid('x')) // exact, although reads match loosely
  await catalog.asset({ tags: [{ tag_type: 'rfid', value: 'X' }] }, { org: otherOrg })
  await catalog.delete(`/assets/${asset.id}/tags/${asset.tags[0]?.id}`)
  await catalog.tag(`/locations/${dock.id}`, rfid('X'))
})

test('of two simultaneous attaches of one tag exactly one succeeds', async ({ catalog }) => {
  const rounds = Array.from({ length: 8 }, async (_, i) => {
    const [asset, dock] = [await catalog.asset(), await catalog.location()]
    const responses = await Promise.all([
      catalog.post(`/assets/${asset.id}/tags`, rfid(`race-${i}`)),
      catalog.post(`/locations/${dock.id}/tags`, rfid(`race-${i}`)),
    ])
    return responses.map((res) => res.statusCode).toSorted((a, b) => a - b)
  })
  for (const outcome of await Promise.all(rounds)) expect(outcome).toEqual([201, 409])
})

test('creates with the same tags in opposite orders do not deadlock', async ({ catalog }) => {
  const client = await catalog.database.pool.connect()
  try {
    // An open attach blocks both in the middle of their lists.
    const { id } = await catalog.asset()
    await client.query('begin')
    await client.query(
      `insert into tag (org_id, tag_type, value, match_value, asset_id) values ($1, 'rfid', 'M', 'M', $2)`,
      [catalog.orgId, id],
    )
    const tags = ['A', 'M', 'Z'].map(rfid)
    const responses = Promise.all([
      catalog.post('/assets', { name: 'a', external_key: 'A', tags }),
      catalog.post('/assets', { name: 'b', external_key: 'B', tags: tags.toReversed() }),
    ])
    await expect.poll(() => catalog.waitingForLocks()).toBe(2)
    await client.query('rollback')
    const statuses = (await responses).map((res) => res.statusCode)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 409])
  } finally {
    client.release()
  }
})

test('a tag attached during the delete of its owner never survives it', async ({ catalog }) => {
  const rounds = Array.from({ length: 10 }, async (_, i) => {
    const asset = await catalog.asset()
    await Promise.all([
      catalog.post(`/assets/${asset.id}/tags`, rfid(`orphan-${i}`)),
      catalog.delete(`/assets/${asset.id}`),
    ])
  })
  await Promise.all(rounds)
  const { rows } = await catalog.database.pool.query(
    'select value from tag where org_id = $1 and deleted_at is null',
    [catalog.orgId],
  )
  expect(rows).toEqual([])
})

test('a delete locks the tags in the order of ids, like a republish', async ({ catalog }) => {
  // Ids are in no order, so some asset has a first tag with a higher id than its second.
  const twoTags = async (i: number) => catalog.asset({ tags: [rfid(`first-${i}`), rfid(`second-${i}`)] })
  const assets = await Promise.all(Array.from({ length: 20 }, (_, i) => twoTags(i)))
  const asset = assets.find(({ tags: [first, second] }) => (first?.id ?? 0) > (second?.id ?? 0))
  const [last, first] = asset?.tags ?? []
  const client = await catalog.database.pool.connect()
  try {
    const hold = (tag?: { id: number }) =>
      client.query('select 1 from tag where id = $1 for share', [tag?.id])
    await client.query('begin')
    await hold(first)
    const removal = catalog.delete(`/assets/${asset?.id}`)
    await expect.poll(() => catalog.waitingForLocks(), { timeout: 10_000 }).toBe(1)
    await client.query(`set local lock_timeout = '5s'`)
    await hold(last)
    await client.query('commit')
    expect((await removal).statusCode).toBe(204)
  } finally {
    client.release(true)
  }
})

test('attach and detach publish the full state of the tag', async ({ catalog }) => {
  const asset = await catalog.asset()
  await catalog.takeOutbox()
  const { epc: _, ...tag } = await catalog.tag(`/assets/${asset.id}`, rfid('T'))
  await catalog.delete(`/assets/${asset.id}/tags/${tag.id}`)
  const [attached, detached, ...others] = await catalog.takeOutbox()
  expect(others).toEqual([])
  expect(attached).toMatchObject({
    subject: `catalog.tag.${catalog.orgId}.${tag.id}`,
    payload: { ...tag, org_id: catalog.orgId, asset_id: asset.id, location_id: null, deleted_at: null },
  })
  expect(detached?.payload).toEqual({
    ...attached?.payload,
    deleted_at: expect.any(String),
    revision: expect.any(Number),
  })
  expect(Number(detached?.payload['revision'])).toBeGreaterThan(Number(attached?.payload['revision']))
})

test('a refused attach publishes nothing', async ({ catalog }) => {
  const asset = await catalog.asset({ tags: [{ tag_type: 'rfid', value: 'T' }] })
  await catalog.takeOutbox()
  expect((await catalog.post(`/assets/${asset.id}/tags`, rfid('T'))).statusCode).toBe(409)
  expect(await catalog.takeOutbox()).toEqual([])
})

test("a tag is not removed through another owner's path", async ({ catalog }) => {
  const [asset, other, dock] = [await catalog.asset(), await catalog.asset(), await catalog.location()]
  const tag = await catalog.tag(`/assets/${asset.id}`, rfid('mine'))
  expect((await catalog.delete(`/assets/${other.id}/tags/${tag.id}`)).statusCode).toBe(404)
  expect((await catalog.delete(`/locations/${dock.id}/tags/${tag.id}`)).statusCode).toBe(404)
  expect((await catalog.get(`/assets/${asset.id}`)).json().data.tags).toEqual([tag])
})

test.for([
  { name: 'no type', body: { value: 'x' }, field: 'tag_type', code: 'required' },
  { name: 'no value', body: { tag_type: 'ble' }, field: 'value', code: 'required' },
  { name: 'an empty value', body: { tag_type: 'ble', value: '' }, field: 'value', code: 'too_short' },
  {
    name: '256 characters',
    body: { tag_type: 'ble', value: 'x'.repeat(256) },
    field: 'value',
    code: 'too_long',
  },
  { name: 'NUL', body: { tag_type: 'ble', value: '\u0000' }, field: 'value', code: 'invalid_value' },
  { name: 'null', body: { tag_type: 'ble', value: null }, field: 'value', code: 'invalid_value' },
  { name: 'another field', body: { tag_type: 'ble', value: 'x', id: 1 }, field: 'id', code: 'unknown_field' },
])('D6.2 attaching with $name is $code on $field', async ({ body, field, code }, { catalog }) => {
  const asset = await catalog.asset()
  const res = await catalog.post(`/assets/${asset.id}/tags`, body)
  expect(res.statusCode).toBe(400)
  expect(res.json().error.fields).toMatchObject([{ field, code }])
})

test('the error of an unknown tag type names the allowed ones', async ({ catalog }) => {
  const asset = await catalog.asset()
  const res = await catalog.post(`/assets/${asset.id}/tags`, { tag_type: 'nfc', value: 'x' })
  expect(res.json().error.fields).toMatchObject([
    { field: 'tag_type', code: 'invalid_value', params: { allowed_values: ['rfid', 'ble', 'barcode'] } },
  ])
})
