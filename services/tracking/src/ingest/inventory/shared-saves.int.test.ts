import type { InventorySave } from '@whereabouts/contracts/resources/tracking/inventory'
import type { CatalogLookup } from '@whereabouts/contracts/messages/catalog-lookup'
import { fc, limits, timeLimit } from '@whereabouts/testing/fuzz'
import { rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { counts, events, iso, moves, NOW, report } from '../../../test/inventory/inventory.fixture.ts'
import { log, test, type Tracking } from '../../../test/tracking.fixture.ts'
import { waitingForLocks } from '../../../test/waiting-for-locks.ts'
import { lockPositions } from '../../positions/lock-positions.queries.ts'
import { inventoryHandlers } from './inventory.handlers.ts'

type Answer = { data: object } | { type: string; message: string; fields?: unknown }

/** Saves through the handler. Saves that start in one turn of the event loop share a transaction. */
function saving(tracking: Tracking, beforeAsk: (question: CatalogLookup) => Promise<void> = async () => {}) {
  const questions: CatalogLookup[] = []
  const ask = async (question: CatalogLookup) => {
    questions.push(question)
    await beforeAsk(question)
    return tracking.catalog.ask(question)
  }
  const { view, resolver, wakeOutbox, rulesOf, book } = tracking.ingest
  const now = () => tracking.clock.stoppedAt ?? Date.now()
  const { saveInventory } = inventoryHandlers({
    db: tracking.tenants, view, ask, resolver, wakeOutbox, rulesOf, book, log, now,
  }) // oxfmt-ignore
  const save = async (assets: readonly string[], location: string, orgId = 1): Promise<Answer> => {
    const body: InventorySave = { asset_identifiers: [...assets], location_identifier: location }
    try {
      const saved = await saveInventory({ principal: { orgId }, body } as Parameters<typeof saveInventory>[0])
      return saved as { data: object }
    } catch (error) {
      const { type, message, fields } = error as Error & { type?: string; fields?: unknown }
      return { type: type ?? 'bug', message, fields }
    }
  }
  return { save, questions }
}

/** Ten assets, never seen, and two locations. */
async function tenAssets(tracking: Tracking, orgId = 1) {
  const assets = Array.from({ length: 10 }, (_, i) => tracking.catalog.asset(orgId, `Box ${i}`))
  const dock = tracking.catalog.location(orgId, 'Dock')
  const shelf = tracking.catalog.location(orgId, 'Shelf')
  await tracking.project()
  tracking.clock.stoppedAt = NOW
  return { assets, keys: assets.map((asset) => asset.external_key), dock, shelf }
}

const failure = (type: string) => expect.objectContaining({ type })

describe('ADR 70 saves that arrive together', () => {
  test('ask catalog once and commit once; each is answered for itself', async ({ tracking }) => {
    const { keys, dock, shelf } = await tenAssets(tracking)
    const { save, questions } = saving(tracking)
    const answers = await Promise.all(keys.map((key, i) => save([key], i < 5 ? 'DOCK' : 'SHELF')))
    const saved = (place: typeof dock) => ({
      data: { count: 1, location_id: place.id, location_name: place.name, timestamp: iso(NOW) },
    })
    expect(answers).toEqual(keys.map((_, i) => saved(i < 5 ? dock : shelf)))
    expect(questions).toEqual([{ org_id: 1, asset_keys: keys, location_keys: ['DOCK', 'SHELF'] }])
    expect(await moves(tracking)).toEqual(
      keys.map((key, i) => ['save', key, undefined, i < 5 ? 'Dock' : 'Shelf']),
    )
    const { rows } = await sql`select distinct xmin::text from scan`.execute(tracking.db)
    expect(rows).toHaveLength(1)
  })

  test('D8.5 of eleven, the one with unknown keys is refused, and the others are saved', async ({
    tracking,
  }) => {
    const { keys } = await tenAssets(tracking)
    const { save, questions } = saving(tracking)
    const good = keys.slice(1).map((key) => save([key], 'DOCK'))
    const refused = save(['NONE-1', keys[0]!, 'NONE-2'], 'NOWHERE')
    const last = save([keys[0]!], 'SHELF')
    const unresolved = (field: string, value: string) =>
      expect.objectContaining({ field, code: 'fk_not_found', params: { value } })
    expect(await refused).toEqual({
      type: 'validation_error',
      message: 'location_identifier: NOWHERE does not name a live location (and 2 more validation errors)',
      fields: [
        unresolved('location_identifier', 'NOWHERE'),
        unresolved('asset_identifiers', 'NONE-1'),
        unresolved('asset_identifiers', 'NONE-2'),
      ],
    })
    for (const answer of await Promise.all([...good, last])) expect(answer).toHaveProperty('data')
    expect(questions).toHaveLength(2) // the last one names an asset of the refused one
    expect(await counts(tracking)).toEqual([10, 10, 10])
  })

  test('two of one asset keep their order, and so do those behind them', async ({ tracking }) => {
    const { keys, shelf } = await tenAssets(tracking)
    const { save, questions } = saving(tracking)
    const [first, second] = [keys.slice(0, 2), keys.slice(1, 3)]
    await Promise.all([
      save(first, 'DOCK'),
      save(second, 'SHELF'),
      save(second, 'DOCK'),
      save(second, 'SHELF'),
    ])
    expect((await moves(tracking)).filter(([, key]) => key === keys[1])).toEqual([
      ['save', keys[1], undefined, 'Dock'],
      ['save', keys[1], 'Dock', 'Shelf'],
      ['save', keys[1], 'Shelf', 'Dock'],
      ['save', keys[1], 'Dock', 'Shelf'],
    ])
    expect((await report(tracking)).map((row) => row[1])).toEqual(['DOCK', shelf.external_key, 'SHELF'])
    expect(questions).toHaveLength(4)
  })

  test('one of more than twenty assets runs by itself meanwhile', async ({ tracking }) => {
    const many = Array.from({ length: 21 }, (_, i) => tracking.catalog.asset(1, `Tote ${i}`).external_key)
    const { keys } = await tenAssets(tracking)
    const blocked = Promise.withResolvers<void>()
    const { save } = saving(tracking, async ({ asset_keys }) => {
      if (asset_keys?.includes(keys[0]!)) await blocked.promise
    })
    const small = save([keys[0]!], 'DOCK')
    expect(await save(many, 'SHELF')).toMatchObject({ data: { count: 21 } })
    blocked.resolve()
    expect(await small).toHaveProperty('data')
  })

  test('of two organizations share nothing, and a slow one does not hold up the other', async ({
    tracking,
  }) => {
    const [ours, theirs] = [await tenAssets(tracking), await tenAssets(tracking, 2)]
    const blocked = Promise.withResolvers<void>()
    const { save, questions } = saving(tracking, async ({ org_id }) => {
      if (org_id === 1) await blocked.promise
    })
    const slow = ours.keys.map((key) => save([key], 'DOCK', 1))
    const fast = theirs.keys.map((key) => save([key], 'DOCK', 2))
    const located = (id: number) => ({ data: expect.objectContaining({ location_id: id }) })
    expect(await Promise.all(fast)).toEqual(theirs.keys.map(() => located(theirs.dock.id)))
    expect((await events(tracking)).map((event) => event.org_id)).toEqual(theirs.keys.map(() => 2))
    blocked.resolve()
    expect(await Promise.all(slow)).toEqual(ours.keys.map(() => located(ours.dock.id)))
    expect(questions.map((question) => question.org_id)).toEqual([1, 2])
    expect(await counts(tracking)).toEqual([20, 20, 20])
  })

  test('keep the request of each in its event', async ({ tracking }) => {
    const { keys } = await tenAssets(tracking)
    const { save, questions } = saving(tracking)
    const traces = keys.map((key) => ({ ...rootTrace(), requestId: `REQUEST-OF-${key}` }))
    await Promise.all(keys.map((key, i) => withTrace(traces[i]!, () => save([key], 'DOCK'))))
    expect(questions).toHaveLength(1)
    const { rows } = await sql<{ key: string; request_id: string; traceparent: string }>`
      select payload->'asset'->>'external_key' as key, headers->>'request_id' as request_id,
             headers->>'traceparent' as traceparent
      from outbox where subject not like 'audit.%' order by id`.execute(tracking.db)
    expect(rows.map((row) => row.request_id)).toEqual(rows.map((row) => `REQUEST-OF-${row.key}`))
    expect(rows.map((row) => row.traceparent)).toEqual(
      traces.map(({ traceId }) => expect.stringContaining(traceId)),
    )
  })
})

describe('ADR 70 if the shared transaction fails', () => {
  /** Runs `statement` of PL/pgSQL before the event of each asset is stored. Counts how many were stored or tried. */
  async function beforeEvents(tracking: Tracking, statement: string) {
    await sql`create sequence tries`.execute(tracking.db)
    await sql`grant all on sequence tries to public`.execute(tracking.db)
    await sql
      .raw(
        `create function before_event() returns trigger language plpgsql as $$
         begin perform nextval('tries'); ${statement}; return new; end $$`,
      )
      .execute(tracking.db)
    await sql`create trigger before_event before insert on outbox for each row execute function before_event()`.execute(
      tracking.db,
    )
    return async () => {
      const { rows } = await sql<{ n: number }>`select last_value as n from tries`.execute(tracking.db)
      return rows[0]?.n
    }
  }

  test('each runs alone, and only the cause fails', async ({ tracking }) => {
    const { keys } = await tenAssets(tracking)
    await beforeEvents(
      tracking,
      `if new.payload->'asset'->>'external_key' = '${keys[3]}' then raise exception 'not this one'; end if`,
    )
    const { save, questions } = saving(tracking)
    const answers = await Promise.all(keys.map((key) => save([key], 'DOCK')))
    const saved = expect.objectContaining({ data: expect.anything() })
    expect(answers).toEqual(keys.map((_, i) => (i === 3 ? failure('bug') : saved)))
    expect(answers[3]).toMatchObject({ message: 'not this one' })
    expect(questions).toHaveLength(11)
    expect(await counts(tracking)).toEqual([9, 9, 9])
  })

  test(
    'because another session holds an asset, the others are saved meanwhile',
    { timeout: 10_000 },
    async ({ tracking }) => {
      const { assets, keys } = await tenAssets(tracking)
      const { save } = saving(tracking)
      const [held, ...others] = keys
      const late = await tracking.db.transaction().execute(async (tx) => {
        await lockPositions(tx, [{ orgId: 1, assetId: assets[0]!.id }])
        const answer = save([held!], 'DOCK')
        for (const other of await Promise.all(others.map((key) => save([key], 'DOCK'))))
          expect(other).toHaveProperty('data')
        // Nor does it keep the next ones waiting.
        expect(await save([others[0]!], 'SHELF')).toHaveProperty('data')
        await expect.poll(() => waitingForLocks(tracking.db)).toBe(1)
        return [answer]
      })
      expect(await late[0]).toHaveProperty('data')
      expect(await moves(tracking)).toHaveLength(11)
    },
  )

  test('by an outage, all get 503 and nothing is repeated', async ({ tracking }) => {
    const { keys } = await tenAssets(tracking)
    const tries = await beforeEvents(tracking, 'perform pg_terminate_backend(pg_backend_pid())')
    const { save, questions } = saving(tracking)
    const answers = await Promise.all(keys.map((key) => save([key], 'DOCK')))
    expect(answers).toEqual(keys.map(() => failure('service_unavailable')))
    expect(questions).toHaveLength(1)
    expect(await tries()).toBe(1)
    await sql`drop trigger before_event on outbox`.execute(tracking.db)
    expect(await counts(tracking)).toEqual([0, 0, 0])
  })

  test('because catalog is not reachable, all get 503, and it is asked once', async ({ tracking }) => {
    const { keys } = await tenAssets(tracking)
    tracking.catalog.isUnreachable = true
    const { save, questions } = saving(tracking)
    const answers = await Promise.all(keys.map((key) => save([key], 'DOCK')))
    expect(answers).toEqual(keys.map(() => failure('service_unavailable')))
    expect(questions).toHaveLength(1)
    expect(await counts(tracking)).toEqual([0, 0, 0])
  })
})

test(
  'ADR 70 random saves at once have the answers, events and report of the same saves one after the other',
  async ({ tracking }) => {
    const names = ['ONE', 'TWO', 'THREE', 'FOUR', 'FIVE']
    const places = ['DOCK', 'SHELF']
    for (const orgId of [1, 2]) {
      for (const name of names) tracking.catalog.asset(orgId, name)
      for (const place of places) tracking.catalog.location(orgId, place)
    }
    await tracking.project()
    tracking.clock.stoppedAt = NOW
    const choice = fc.record({
      assets: fc.array(fc.constantFrom(...names, 'NONE'), { minLength: 1, maxLength: 3 }),
      place: fc.constantFrom(...places, ...places, ...places, 'NOWHERE'),
    })
    const { save } = saving(tracking)
    /** Without ids, which differ between organizations. */
    const anonymous = (answers: readonly Answer[]) =>
      answers.map((answer) => ('data' in answer ? { ...answer.data, location_id: 0 } : answer))
    const eventsOf = async (orgId: number) =>
      (await events(tracking))
        .filter((event) => event.org_id === orgId)
        .map((e) => [e.asset.name, e.occurred_at, e.from_location?.name, e.to_location.name])
    await fc.assert(
      fc.asyncProperty(fc.array(choice, { minLength: 1, maxLength: 12 }), async (choices) => {
        const together = await Promise.all(choices.map(({ assets, place }) => save(assets, place, 1)))
        const alone: Answer[] = []
        for (const { assets, place } of choices) alone.push(await save(assets, place, 2))
        expect(anonymous(together)).toEqual(anonymous(alone))
        expect(await eventsOf(1)).toEqual(await eventsOf(2))
        expect(await report(tracking, 1)).toEqual(await report(tracking, 2))
      }),
      limits(40),
    )
  },
  timeLimit(60_000),
)
