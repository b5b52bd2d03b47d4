import { fc, limits } from '@whereabouts/testing/fuzz'
import { expect } from 'vitest'
import { test, type Real } from './model.fixture.ts'
import type { Reply, Body, Operation } from './operations.ts'
import type { Kind, View } from './world.ts'

// More simultaneous requests than races.int.test.ts can explain order by order. An invariant checks them instead.
const RUNS = 6

const kind = fc.constantFrom('asset' as const, 'location' as const)
const crowd = fc.integer({ min: 2, max: 10 })

const viewOf = (reply: Reply | undefined) => reply?.body.data as View & Record<string, unknown>
const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status).toSorted((a, b) => a - b)
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

/** Requests of one organization, as one caller. */
function callerOf(real: Real, org = 0) {
  const send = (operation: Operation) => real.send(operation)
  const on = (verb: 'get' | 'delete', of: Kind, id: number) => send({ do: verb, org, kind: of, id })
  const write = (verb: 'patch' | 'rename' | 'attach', of: Kind, id: number, body: Body) =>
    send({ do: verb, org, kind: of, id, body })
  const create = (of: Kind, body: Body = {}) =>
    send({ do: 'create', org, kind: of, body: { name: 'x', ...body } })
  const live = async (of: Kind) => {
    const list: Operation = { do: 'list', org, kind: of, query: { limit: 200 } }
    return (await send(list)).body.data as View[]
  }
  return { on, write, create, live, make: async (of: Kind, body?: Body) => viewOf(await create(of, body)) }
}

const keysOf = (views: readonly View[]) => views.map((view) => String(view['external_key']))
const minted = (of: Kind, n: number) =>
  of === 'asset' ? `ASSET-${String(n).padStart(4, '0')}` : `LOC-${String(n).padStart(3, '0')}`

test('D4.4 simultaneous creates without a key get consecutive keys, per organization and kind', async ({
  begin,
}) => {
  const property = fc.asyncProperty(
    crowd,
    crowd,
    fc.integer({ min: 0, max: 3 }),
    async (here, there, before) => {
      const { real } = begin()
      const [one, other] = [callerOf(real), callerOf(real, 1)]
      for (let i = 0; i < before; i += 1) await one.make('asset')
      await Promise.all([
        ...times(here, () => one.create('asset')),
        ...times(there, () => other.create('asset')),
        ...times(there, () => one.create('location')),
      ])
      expect(keysOf(await one.live('asset'))).toEqual(times(before + here, (i) => minted('asset', i + 1)))
      expect(keysOf(await other.live('asset'))).toEqual(times(there, (i) => minted('asset', i + 1)))
      expect(keysOf(await one.live('location'))).toEqual(times(there, (i) => minted('location', i + 1)))
    },
  )
  await fc.assert(property, limits(RUNS))
})

test('D4.4 a create without a key succeeds while others create, rename and delete numbered keys', async ({
  begin,
}) => {
  const property = fc.asyncProperty(kind, crowd, async (of, count) => {
    const { real } = begin(1)
    const { make, create, write, on, live } = callerOf(real)
    const ids = await Promise.all(times(count, async () => (await make(of)).id))
    const racing = ids.flatMap((id, i) => [
      create(of),
      write('rename', of, id, { external_key: minted(of, count + 1 + i) }),
      create(of, { external_key: minted(of, count + 2 + i) }),
    ])
    const last = on('delete', of, ids.at(-1) ?? 0)
    const replies = await Promise.all(racing)
    expect((await last).status).toBe(204)
    const without = replies.filter((_, i) => i % 3 === 0)
    expect(statuses(without)).toEqual(times(count, () => 201))
    for (const { status } of replies) expect([200, 201, 404, 409]).toContain(status)
    const keys = keysOf(await live(of))
    expect(new Set(keys).size).toBe(keys.length)
  })
  await fc.assert(property, limits(RUNS))
})

test('D5.4 of simultaneous moves that would make a cycle, one is refused', async ({ begin }) => {
  const property = fc.asyncProperty(fc.integer({ min: 2, max: 5 }), async (size) => {
    const rings = times(4, async () => {
      const { make, write } = callerOf(begin(1).real)
      const ids = await Promise.all(times(size, async () => (await make('location')).id))
      const moves = ids.map((id, i) => write('patch', 'location', id, { parent_id: ids[(i + 1) % size] }))
      return statuses(await Promise.all(moves))
    })
    for (const ring of await Promise.all(rings)) expect(ring).toEqual([...times(size - 1, () => 200), 409])
  })
  await fc.assert(property, limits(RUNS))
})

test('D5.4 simultaneous moves never make a cycle', async ({ begin }) => {
  const moves = fc.array(fc.tuple(fc.nat(5), fc.option(fc.nat(5))), { minLength: 4, maxLength: 20 })
  const property = fc.asyncProperty(moves, async (chosen) => {
    const { make, write, live } = callerOf(begin(1).real)
    const ids = await Promise.all(times(6, async () => (await make('location')).id))
    const move = ([from, to]: [number, number | null]) =>
      write('patch', 'location', ids[from] ?? 0, { parent_id: to === null ? null : ids[to] })
    for (const { status } of await Promise.all(chosen.map(move))) expect([200, 409]).toContain(status)
    const parents = new Map(
      (await live('location')).map((view) => [view.id, view['parent_id'] as number | null]),
    )
    for (const id of ids) expect(pathToRoot(parents, id).length).toBeLessThan(6)
  })
  await fc.assert(property, limits(RUNS))
})

function pathToRoot(parents: ReadonlyMap<number, number | null>, id: number): number[] {
  const path: number[] = []
  for (let at = parents.get(id) ?? null; at !== null && path.length < 10; at = parents.get(at) ?? null)
    path.push(at)
  return path
}

test('D4.8 of simultaneous PATCHes with the same updated_at exactly one succeeds', async ({ begin }) => {
  const property = fc.asyncProperty(kind, crowd, async (of, count) => {
    const { real } = begin(1)
    const { make, write, on } = callerOf(real)
    const { id, updated_at } = await make(of)
    const replies = await Promise.all(
      times(count, (i) => write('patch', of, id, { name: `n${i}`, updated_at })),
    )
    const [winner, ...more] = replies.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    for (const { status, body } of replies.filter((reply) => reply !== winner))
      expect([status, body.error?.fields?.map(({ field, code }) => [field, code])]).toEqual([
        400,
        [['updated_at', 'read_only']],
      ])
    expect((await on('get', of, id)).body.data).toEqual(viewOf(winner))
  })
  await fc.assert(property, limits(RUNS))
})

test('D6.3 of simultaneous attaches of one tag to several owners exactly one succeeds', async ({ begin }) => {
  const property = fc.asyncProperty(fc.array(kind, { minLength: 2, maxLength: 10 }), async (kinds) => {
    const { real } = begin(1)
    const { make, write, create } = callerOf(real)
    const tag = { tag_type: 'rfid', value: 'wanted' }
    const owners = await Promise.all(kinds.map(async (of) => ({ of, id: (await make(of)).id })))
    const attaching = owners.map(({ of, id }) => write('attach', of, id, tag))
    const replies = await Promise.all([...attaching, create('asset', { tags: [tag] })])
    expect(statuses(replies)).toEqual([201, ...kinds.map(() => 409)])
  })
  await fc.assert(property, limits(RUNS))
})

test('D5.5 no live location stays below a location deleted at the same time', async ({ begin }) => {
  const property = fc.asyncProperty(crowd, crowd, async (creates, moves) => {
    const { real } = begin(1)
    const { make, create, write, on, live } = callerOf(real)
    const parent = await make('location', { external_key: 'PARENT' })
    const movers = await Promise.all(times(moves, async () => (await make('location')).id))
    const joining = [
      ...times(creates, () => create('location', { parent_id: parent.id })),
      ...movers.map((id) => write('patch', 'location', id, { parent_external_key: 'PARENT' })),
    ]
    const [removed, ...joined] = await Promise.all([on('delete', 'location', parent.id), ...joining])
    const inside = (await live('location')).filter((view) => view['parent_id'] === parent.id)
    const accepted = joined.filter(({ status }) => status === 200 || status === 201)
    expect(inside.length).toBe(accepted.length)
    expect(removed.status).toBe(accepted.length > 0 ? 409 : 204)
  })
  await fc.assert(property, limits(RUNS))
})

test('D4.9 of simultaneous renames to one key exactly one succeeds; swaps do not deadlock', async ({
  begin,
}) => {
  const property = fc.asyncProperty(kind, crowd, async (of, count) => {
    const { real } = begin(1)
    const { make, write, live } = callerOf(real)
    const made = await Promise.all(times(count, () => make(of)))
    const wanted = await Promise.all(
      made.map(({ id }) => write('rename', of, id, { external_key: 'WANTED' })),
    )
    expect(statuses(wanted)).toEqual([200, ...times(count - 1, () => 409)])
    const views = await live(of)
    const swaps = views.map((view, i) =>
      write('rename', of, view.id, { external_key: keysOf(views)[(i + 1) % count] }),
    )
    for (const { status } of await Promise.all(swaps)) expect([200, 409]).toContain(status)
    expect(new Set(keysOf(await live(of))).size).toBe(count)
  })
  await fc.assert(property, limits(RUNS))
})

test('D4.10 D13.1 of simultaneous deletes exactly one succeeds, and is published once', async ({ begin }) => {
  const property = fc.asyncProperty(kind, crowd, async (of, count) => {
    const { real } = begin(1)
    const { make, on } = callerOf(real)
    const { id } = await make(of, { tags: [{ tag_type: 'ble', value: 'b' }] })
    const replies = await Promise.all(times(count, () => on('delete', of, id)))
    expect(statuses(replies)).toEqual([204, ...times(count - 1, () => 404)])
    const sent = await real.takeOutbox(0)
    const isEvent = ({ subject }: { subject: string }) => subject.startsWith('events.')
    expect(sent.filter((one) => !isEvent(one) && one.payload['deleted_at'] !== null)).toHaveLength(2)
    expect(sent.filter(isEvent).map(({ subject }) => subject.split('.')[1])).toEqual([
      `${of}-created`,
      `${of}-deleted`,
    ])
  })
  await fc.assert(property, limits(RUNS))
})

test('a read during a delete returns the resource with its tags or 404', async ({ begin }) => {
  const property = fc.asyncProperty(kind, crowd, async (of, count) => {
    const { real } = begin(1)
    const { make, on } = callerOf(real)
    const made = await make(of, { tags: [{ tag_type: 'ble', value: 'b' }] })
    const gets = () => times(count, () => on('get', of, made.id))
    const [removed, ...reads] = await Promise.all([on('delete', of, made.id), ...gets()])
    expect(removed.status).toBe(204)
    for (const { status, body } of reads) if (status !== 404) expect(body.data).toEqual(made)
  })
  await fc.assert(property, limits(RUNS))
})
