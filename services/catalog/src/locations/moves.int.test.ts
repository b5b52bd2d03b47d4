import type { LocationView } from '@whereabouts/contracts/resources/catalog/locations'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../test/catalog.fixture.ts'

type Response = Awaited<ReturnType<Catalog['patch']>>

const move = (catalog: Catalog, { id }: { id: number }, body: object) =>
  catalog.patch(`/locations/${id}`, body)
const read = async (catalog: Catalog, id: number): Promise<LocationView> =>
  (await catalog.get(`/locations/${id}`)).json().data

const entries = (res: Response) =>
  res
    .json<{ error: { fields: { field: string; code: string }[] } }>()
    .error.fields.map((f) => `${f.field} ${f.code}`)

/** A chain: each location is the child of the one before. */
async function chain(catalog: Catalog, length: number): Promise<[LocationView, ...LocationView[]]> {
  const root = await catalog.location()
  const made: [LocationView, ...LocationView[]] = [root]
  for (let i = 1; i < length; i += 1)
    made.push(await catalog.location({ parent_id: (made.at(-1) ?? root).id }))
  return made
}

describe('D5.3 the parent of a PATCH', () => {
  test('is an id, a key or both, and is in the reply, the row and the outbox', async ({ catalog }) => {
    const [hall, yard] = [
      await catalog.location({ external_key: 'HALL' }),
      await catalog.location({ external_key: 'YARD' }),
    ]
    const dock = await catalog.location()
    await catalog.takeOutbox()
    const inHall = { parent_id: hall.id, parent_external_key: 'HALL' }
    const inYard = { parent_id: yard.id, parent_external_key: 'YARD' }
    for (const [body, place] of [
      [{ parent_id: hall.id }, inHall],
      [{ parent_external_key: 'YARD' }, inYard],
      [inHall, inHall],
    ] as const) {
      const res = await move(catalog, dock, body)
      expect(res.json().data).toMatchObject(place)
      expect(await read(catalog, dock.id)).toEqual(res.json().data)
      expect(await catalog.takeOutbox()).toMatchObject([
        { payload: { id: dock.id, parent_id: place.parent_id } },
      ])
    }
  })

  test.for([
    { parent_id: null },
    { parent_external_key: null },
    { parent_id: null, parent_external_key: null },
  ])('makes a root if it is null: %j', async (body, { catalog }) => {
    const [, dock] = await chain(catalog, 2)
    const { data } = (await move(catalog, dock ?? { id: 0 }, body)).json()
    expect(data).toMatchObject({ parent_id: null, parent_external_key: null })
    expect(await read(catalog, data.id)).toEqual(data)
  })

  test('does not change if it is absent, and its key follows a rename', async ({ catalog }) => {
    const hall = await catalog.location()
    const dock = await catalog.location({ parent_id: hall.id })
    await catalog.post(`/locations/${hall.id}/rename`, { external_key: 'NORTH' })
    const { data } = (await move(catalog, dock, { name: 'Dock 2' })).json()
    expect(data).toMatchObject({ parent_id: hall.id, parent_external_key: 'NORTH' })
  })

  test('is an error of the sent field if it does not exist, the key first', async ({ catalog, otherOrg }) => {
    const [dock, hall] = [await catalog.location(), await catalog.location({ external_key: 'HALL' })]
    const theirs = await catalog.location({ external_key: 'THEIRS' }, { org: otherOrg })
    const gone = await catalog.location({ external_key: 'GONE' })
    await catalog.delete(`/locations/${gone.id}`)
    const both = ['parent_id ambiguous_fields', 'parent_external_key ambiguous_fields']
    const cases: [object, string[]][] = [
      [{ parent_id: 1 }, ['parent_id fk_not_found']],
      [{ parent_id: theirs.id }, ['parent_id fk_not_found']],
      [{ parent_id: gone.id }, ['parent_id fk_not_found']],
      [{ parent_external_key: 'THEIRS' }, ['parent_external_key fk_not_found']],
      [{ parent_external_key: 'GONE' }, ['parent_external_key fk_not_found']],
      [{ parent_id: hall.id, parent_external_key: 'NONE' }, ['parent_external_key fk_not_found']],
      [{ parent_id: 1, parent_external_key: 'HALL' }, both],
      [{ parent_id: null, parent_external_key: 'HALL' }, both],
      [{ parent_id: hall.id, parent_external_key: null }, both],
    ]
    for (const [body, want] of cases) {
      const res = await move(catalog, dock, { ...body, name: 'moved' })
      expect(res.statusCode).toBe(400)
      expect(entries(res)).toEqual(want)
    }
    expect(await read(catalog, dock.id)).toEqual(dock)
  })

  test('D3.2 is reported together with other errors that need the stored row, in schema order', async ({
    catalog,
  }) => {
    const dock = await catalog.location()
    const body = {
      updated_at: '2020-01-01T00:00:00Z',
      parent_id: 1,
      external_key: 'OTHER',
      valid_to: '2000-01-01T00:00:00Z',
    }
    expect(entries(await move(catalog, dock, body))).toEqual([
      'external_key invalid_context',
      'parent_id fk_not_found',
      'valid_to invalid_value',
      'updated_at read_only',
    ])
  })
})

describe('D5.4 a cycle', () => {
  test.for([1, 2, 3, 7])('of length %i is a conflict and changes nothing', async (length, { catalog }) => {
    const made = await chain(catalog, length)
    const [root, last] = [made[0], made.at(-1) ?? made[0]]
    await catalog.takeOutbox()
    for (const body of [{ parent_id: last.id }, { parent_external_key: last.external_key }]) {
      const res = await move(catalog, root, { ...body, name: 'moved' })
      expect(res.statusCode).toBe(409)
      expect(res.json().error).toMatchObject({
        type: 'conflict',
        detail: `location ${root.external_key} cannot be moved into itself or into a location inside it`,
      })
    }
    expect(await read(catalog, root.id)).toEqual(root)
    expect(await catalog.takeOutbox()).toEqual([])
  })

  test('D2 is checked after all fields', async ({ catalog }) => {
    const [root, child] = await chain(catalog, 2)
    const stale = await move(catalog, root, { parent_id: child?.id, updated_at: '2020-01-01T00:00:00Z' })
    expect(entries(stale)).toEqual(['updated_at read_only'])
  })

  test('does not arise if a subtree moves up or to another branch', async ({ catalog }) => {
    const [root, ...inner] = await chain(catalog, 4)
    const [, , third] = inner
    const other = await catalog.location()
    for (const parent of [root, other, inner[1] ?? root])
      expect((await move(catalog, third ?? root, { parent_id: parent.id })).statusCode).toBe(200)
    expect((await move(catalog, root, { parent_id: other.id })).statusCode).toBe(200)
  })

  test('never results from simultaneous moves on two replicas', async ({ catalog, replica }) => {
    const rounds = Array.from({ length: 15 }, async () => {
      const [a, b] = [await catalog.location(), await catalog.location()]
      const responses = await Promise.all([
        move(catalog, a, { parent_id: b.id }),
        move(replica, b, { parent_external_key: a.external_key }),
      ])
      return responses.map((res) => res.statusCode).toSorted((x, y) => x - y)
    })
    for (const statuses of await Promise.all(rounds)) expect(statuses).toEqual([200, 409])
  })
})

describe('simultaneous changes on two replicas', () => {
  /** Random numbers with a fixed seed. */
  function numbers(seed: number) {
    let state = seed
    return (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
  }

  test('D5.4 moves, renames, creates and deletes leave a tree, and none answers 5xx', async ({
    catalog,
    replica,
  }) => {
    const pick = numbers(20_261_121)
    const places = await Promise.all(Array.from({ length: 12 }, () => catalog.location()))
    const any = () => places[pick(places.length)]?.id ?? 0
    const one = (i: number): Promise<Response> => {
      const via = i % 2 === 0 ? catalog : replica
      const kind = pick(10)
      if (kind < 6) return move(via, { id: any() }, { parent_id: any() })
      if (kind === 6) return move(via, { id: any() }, { parent_id: null })
      if (kind === 7) return via.post(`/locations/${any()}/rename`, { external_key: `LOC-${pick(50)}` })
      if (kind === 8) return via.post('/locations', { name: 'new', parent_id: any() })
      return via.post(`/locations/${any()}/tags`, { tag_type: 'rfid', value: `t${i}` })
    }
    const responses: Response[] = []
    // All 300 at once would wait for a connection of the pool until some are refused, on a busy machine.
    for (let i = 0; i < 300; i += 50)
      responses.push(...(await Promise.all(Array.from({ length: 50 }, (_, at) => one(i + at)))))
    const statuses = Map.groupBy(responses, (res) => res.statusCode)
    expect(new Set(statuses.keys())).toEqual(new Set([200, 201, 409]))
    expect(await lostInCycles(catalog)).toEqual([])
  })

  /** Locations that reach no root. */
  async function lostInCycles(catalog: Catalog): Promise<number[]> {
    const { rows } = await catalog.database.pool.query<{ id: number; parent_id: number | null }>(
      'select id, parent_id from location where org_id = $1 and deleted_at is null',
      [catalog.orgId],
    )
    const parentOf = new Map(rows.map(({ id, parent_id }) => [id, parent_id]))
    return rows.flatMap(({ id }) => {
      let at: number | null | undefined = id
      for (let step = 0; step <= rows.length && typeof at === 'number'; step += 1) at = parentOf.get(at)
      return at === null ? [] : [id]
    })
  }

  test('a deleted parent never gets a child', async ({ catalog, replica }) => {
    const rounds = Array.from({ length: 15 }, async () => {
      const [parent, child] = [await catalog.location(), await catalog.location()]
      const [moved, removed] = await Promise.all([
        move(catalog, child, { parent_id: parent.id }),
        replica.delete(`/locations/${parent.id}`),
      ])
      return [moved.statusCode, removed.statusCode].join()
    })
    for (const outcome of await Promise.all(rounds)) expect(['200,409', '400,204']).toContain(outcome)
  })

  test('a move waits for the delete of its new parent, and is then refused', async ({ catalog }) => {
    const [parent, child] = [await catalog.location(), await catalog.location()]
    const client = await catalog.database.pool.connect()
    try {
      await client.query('begin')
      await client.query('update location set deleted_at = now() where id = $1', [parent.id])
      const moving = move(catalog, child, { parent_id: parent.id })
      await expect.poll(() => catalog.waitingForLocks(), { timeout: 10_000 }).toBe(1)
      await client.query('commit')
      expect(entries(await moving)).toEqual(['parent_id fk_not_found'])
    } finally {
      client.release(true)
    }
  })

  test('moves of an organization run one after the other; other changes and organizations do not wait', async ({
    catalog,
    otherOrg,
  }) => {
    const [root, child] = await chain(catalog, 2)
    const theirs = await catalog.location({}, { org: otherOrg })
    const client = await catalog.database.pool.connect()
    try {
      await client.query('begin')
      await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`tree:${catalog.orgId}`])
      const moving = move(catalog, child ?? root, { parent_id: null })
      await expect.poll(() => catalog.waitingForLocks(), { timeout: 10_000 }).toBe(1)
      expect((await move(catalog, child ?? root, { name: 'renamed' })).statusCode).toBe(200)
      expect(
        (await catalog.patch(`/locations/${theirs.id}`, { parent_id: null }, { org: otherOrg })).statusCode,
      ).toBe(200)
      await client.query('rollback')
      expect((await moving).statusCode).toBe(200)
    } finally {
      client.release(true)
    }
  })
})

test('D5.8 a rename returns the number of live sub-locations, which show the new key', async ({
  catalog,
}) => {
  const [root, hall, shelf, box] = await chain(catalog, 4)
  await catalog.location({ parent_id: root.id })
  await catalog.delete(`/locations/${box?.id}`)
  await catalog.location()
  const rename = async (id: number | undefined, external_key: string) =>
    (await catalog.post(`/locations/${id}/rename`, { external_key })).json()
  expect(await rename(root.id, 'ROOT')).toMatchObject({
    data: { external_key: 'ROOT' },
    descendant_count_affected: 3,
  })
  expect(await rename(root.id, 'ROOT')).toMatchObject({ descendant_count_affected: 3 })
  expect(await rename(hall?.id, 'HALL')).toMatchObject({
    data: { parent_id: root.id, parent_external_key: 'ROOT' },
    descendant_count_affected: 1,
  })
  expect(await rename(shelf?.id, 'SHELF')).toMatchObject({ descendant_count_affected: 0 })
  expect(await read(catalog, shelf?.id ?? 0)).toMatchObject({ parent_external_key: 'HALL' })
})

test('D5.2 PATCH refuses fields that only assets have', async ({ catalog }) => {
  const dock = await catalog.location()
  const res = await move(catalog, dock, { metadata: {}, type: 'asset', location_id: 1 })
  expect(entries(res)).toEqual(['location_id unknown_field', 'metadata unknown_field', 'type unknown_field'])
})
