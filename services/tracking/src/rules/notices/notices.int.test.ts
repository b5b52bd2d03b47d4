import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { alerts, makeRule, MINUTE, put, scene, type Asset } from '../../../test/rules/scene.ts'
import { log, test, type Tracking } from '../../../test/tracking.fixture.ts'
import { RuleNotices } from './notices.loop.ts'

const URL = 'https://hooks.example.com/services/T0/x7Qz'
const SLACK = { kind: 'slack', url: URL }

/** One replica, whose clock is `minutes` ahead. */
const noticesOf = ({ worker, channels }: Tracking, minutes = 0, zone = 'UTC') =>
  new RuleNotices({
    db: worker.db,
    channels,
    zoneOf: () => zone,
    log,
    now: () => Date.now() + minutes * MINUTE,
  })

async function turn(tracking: Tracking, minutes = 0): Promise<void> {
  const notices = noticesOf(tracking, minutes)
  await notices.turn()
  await notices.idle()
}

/** Moves assets in and out, each time a minute later. */
function mover(tracking: Tracking, { hall, yard }: Awaited<ReturnType<typeof scene>>) {
  let at = Date.now() + MINUTE
  const go = async (assets: readonly Asset[], place: typeof hall) =>
    put(tracking, tracking.book, assets, place, (at += MINUTE))
  return {
    leave: (assets: readonly Asset[]) => go(assets, yard),
    enter: async (assets: readonly Asset[]) => {
      await go(assets, yard)
      await go(assets, hall)
    },
  }
}

async function entering(tracking: Tracking, notify: object, { orgId = 1, count = 3 } = {}) {
  const places = await scene(tracking, orgId, count)
  const { assets, hall } = places
  const body = { name: 'Hall', kind: 'entered', scope: { location_ids: [hall.id] }, notify }
  const rule = await makeRule(tracking, body, { orgId })
  return { ...mover(tracking, places), assets, rule, first: assets.slice(0, 1) }
}

const ruleOf = async (tracking: Tracking, id: number) =>
  (await tracking.call('GET', `/rules/${id}`)).json().data
const waiting = async ({ db }: Tracking) =>
  (await sql<{ n: number }>`select count(*) as n from rule_notice`.execute(db)).rows[0]?.n
const makeDue = ({ db }: Tracking) =>
  sql`update rule_notice set next_attempt_at = clock_timestamp()`.execute(db)

describe('people are told', () => {
  test('D14.6 of the first alert at once, and of what follows together after five minutes, again and again', async ({
    tracking,
  }) => {
    const { enter, assets, first, rule } = await entering(tracking, {
      email: ['ada@example.com'],
      chat: [SLACK],
    })
    const { channels } = tracking
    await enter(first)
    await turn(tracking)
    expect(channels.told.map(({ to }) => to).toSorted()).toEqual(['ada@example.com', URL])
    expect(channels.told[0]?.notice).toMatchObject({ title: 'Warning: Hall', notes: [] })
    expect(channels.told[0]?.notice.lines).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d Crate 0 \(CRATE-0\) entered Hall$/),
    ])
    for (let round = 1; round <= 3; round += 1) {
      await enter(assets)
      await enter(first)
      await turn(tracking, 5 * round - 1)
      expect(channels.told).toHaveLength(2 * round)
      await turn(tracking, 5 * round + 1)
      expect(channels.told).toHaveLength(2 * round + 2)
      const { title, lines } = channels.told.at(-1)!.notice
      expect([title, lines.length]).toEqual(['Warning: Hall (4 alerts)', 4])
      expect(lines.filter((line) => line.includes(', over at '))).toEqual([
        expect.stringContaining('Crate 0'),
      ])
    }
    expect(await waiting(tracking)).toBe(0)
    expect(await ruleOf(tracking, rule.id)).toMatchObject({ problem: null })
  })

  test('D14.6 with fifty lines at most, and the number of the others', async ({ tracking }) => {
    const { enter, assets } = await entering(tracking, { email: ['ada@example.com'] }, { count: 500 })
    await enter(assets)
    await turn(tracking)
    expect(tracking.channels.told).toHaveLength(1)
    expect(tracking.channels.told[0]?.notice).toMatchObject({
      title: 'Warning: Hall (500 alerts)',
      notes: ['And 450 more.'],
    })
    expect(tracking.channels.told[0]?.notice.lines).toHaveLength(50)
    await turn(tracking, 6)
    expect(tracking.channels.told).toHaveLength(1)
  })

  test('D14.6 twenty times a day at most; the last says so, and the next day begins with what waits', async ({
    tracking,
  }) => {
    const { enter, first } = await entering(tracking, { email: ['ada@example.com'] })
    const { channels } = tracking
    // From the beginning of a day, so that all rounds are in it.
    const start = Math.ceil((Math.ceil(Date.now() / 86_400_000) * 86_400_000 - Date.now()) / MINUTE)
    for (let n = 0; n < 22; n += 1) {
      await enter(first)
      await turn(tracking, start + 1 + 6 * n)
    }
    expect(channels.told).toHaveLength(20)
    const last = channels.told.map(({ notice }) =>
      notice.notes.some((note) => note.startsWith('This is the last')),
    )
    expect(last).toEqual([...Array<boolean>(19).fill(false), true])
    await turn(tracking, start + 1_440 - 2)
    expect(channels.told).toHaveLength(20)
    await turn(tracking, start + 1_440 + 2)
    expect(channels.told).toHaveLength(21)
    expect(channels.told[20]?.notice.title).toBe('Warning: Hall (2 alerts)')
  })

  test('D14.6 again while nobody acknowledges, three times, and not afterwards', async ({ tracking }) => {
    const { enter, assets } = await entering(tracking, { email: ['ada@example.com'], remind_minutes: 60 })
    const { channels } = tracking
    await enter(assets)
    await turn(tracking)
    for (let round = 1; round <= 3; round += 1) {
      await turn(tracking, 61 * round - 2)
      expect(channels.told).toHaveLength(round)
      await turn(tracking, 61 * round)
      expect(channels.told).toHaveLength(round + 1)
      const { title, lines, notes } = channels.told[round]!.notice
      expect([title, lines.length]).toEqual(['Still open: Hall (3 alerts)', 3])
      expect(notes).toEqual(['Nobody has acknowledged what is still open.'])
    }
    const [one, ...others] = await alerts(tracking)
    await tracking.call('POST', `/alerts/${one!.id}/acknowledge`, { body: {} })
    await turn(tracking, 61 * 4)
    expect(channels.told[4]?.notice.title).toBe('Still open: Hall (2 alerts)')
    await tracking.call('POST', '/alerts/acknowledge', { body: { ids: others.map(({ id }) => id) } })
    for (let round = 5; round <= 7; round += 1) await turn(tracking, 61 * round)
    expect(channels.told).toHaveLength(5)
  })

  test('D14.6 once, by three replicas at the same time', async ({ tracking }) => {
    const { enter, assets } = await entering(tracking, { email: ['ada@example.com'], chat: [SLACK] })
    for (let round = 0; round < 3; round += 1) {
      await enter(assets)
      const replicas = [0, 1, 2].map(() => noticesOf(tracking, 6 * round))
      await Promise.all(replicas.map((replica) => replica.turn()))
      await Promise.all(replicas.map((replica) => replica.idle()))
      expect(tracking.channels.told).toHaveLength(2 * round + 2)
    }
  })

  test('D14.6 nobody of a rule that is off, and nobody of alerts before somebody was named', async ({
    tracking,
  }) => {
    const { enter, first, rule } = await entering(tracking, {})
    await enter(first)
    await turn(tracking)
    const notify = { email: ['ADMINS'] }
    const reply = await tracking.call('PATCH', `/rules/${rule.id}`, { body: { notify } })
    expect(reply.json().data.notify.email).toEqual(['admins'])
    await turn(tracking)
    expect(tracking.channels.told).toEqual([])
    await enter(first)
    await tracking.call('PATCH', `/rules/${rule.id}`, { body: { enabled: false } })
    await turn(tracking)
    await tracking.call('PATCH', `/rules/${rule.id}`, { body: { enabled: true } })
    await turn(tracking, 6)
    expect(tracking.channels.told).toEqual([])
    await enter(first)
    await turn(tracking, 12)
    expect(tracking.channels.told).toHaveLength(1)
  })
})

describe('a message about alerts', () => {
  test('is not lost while nobody answers, and waits longer after each failure', async ({ tracking }) => {
    const { enter, first, rule } = await entering(tracking, { email: ['ada@example.com'], chat: [SLACK] })
    const { channels, db } = tracking
    await enter(first)
    channels.isUnreachable = true
    const pauses: (number | undefined)[] = []
    for (let n = 0; n < 4; n += 1) {
      await turn(tracking)
      const { rows } = await sql<{ minutes: number }>`
        select round(extract(epoch from max(next_attempt_at) - clock_timestamp()) / 60)::int as minutes from rule_notice`.execute(
        db,
      )
      pauses.push(rows[0]?.minutes)
      await turn(tracking) // not due
      await makeDue(tracking)
    }
    expect(pauses).toEqual([1, 2, 4, 8])
    channels.isUnreachable = false
    await turn(tracking)
    expect(channels.told.map(({ to }) => to).toSorted()).toEqual(['ada@example.com', URL])
    expect(await ruleOf(tracking, rule.id)).toMatchObject({ problem: null })
  })

  test('whose sender dies after it was taken is mailed once, and posted again', async ({ tracking }) => {
    const { enter, first } = await entering(tracking, { email: ['ada@example.com'], chat: [SLACK] })
    const { channels } = tracking
    channels.onTaken = () => Promise.reject(new Error('killed'))
    await enter(first)
    await turn(tracking)
    expect(channels.told).toHaveLength(2)
    channels.onTaken = () => undefined
    await makeDue(tracking)
    await turn(tracking)
    expect(channels.told.map(({ to }) => to).toSorted()).toEqual(['ada@example.com', URL, URL])
    expect(await waiting(tracking)).toBe(0)
  })

  test('that a channel refuses shows on the rule until the next one arrives, three times', async ({
    tracking,
  }) => {
    const { enter, first, rule } = await entering(tracking, { chat: [SLACK] })
    const { channels } = tracking
    for (let round = 0; round < 3; round += 1) {
      channels.answers.set(URL, { status_code: 404, error: 'answered 404' })
      await enter(first)
      await turn(tracking, 20 * round)
      expect(await ruleOf(tracking, rule.id)).toMatchObject({ problem: 'notify_failed' })
      channels.answers.clear()
      await enter(first)
      await turn(tracking, 20 * round + 10)
      expect(await ruleOf(tracking, rule.id)).toMatchObject({ problem: null })
    }
    expect(channels.told).toHaveLength(3)
  })

  test('to somebody who left shows on the rule, and a change of the recipients ends that', async ({
    tracking,
  }) => {
    const { enter, first, rule } = await entering(tracking, { email: ['ada@example.com', 'ben@example.com'] })
    tracking.channels.members.delete('ben@example.com')
    await enter(first)
    await turn(tracking)
    expect(tracking.channels.told.map(({ to }) => to)).toEqual(['ada@example.com'])
    expect(await ruleOf(tracking, rule.id)).toMatchObject({ problem: 'notify_failed' })
    const body = { notify: { email: ['ada@example.com'] } }
    const reply = await tracking.call('PATCH', `/rules/${rule.id}`, { body })
    expect(reply.json().data).toMatchObject({ problem: null, notify: body.notify })
  })

  test('that hangs keeps no other organization waiting', async ({ tracking }) => {
    const { channels } = tracking
    const hung = Promise.withResolvers<{ status_code: number; error: null }>()
    const urls = Array.from({ length: 5 }, (_, i) => `https://hooks.example.com/hang/000${i}`)
    for (const url of urls) channels.answers.set(url, hung.promise)
    const own = await entering(tracking, { chat: urls.map((url) => ({ kind: 'slack', url })) })
    const other = await entering(tracking, { chat: [SLACK] }, { orgId: 2 })
    await own.enter(own.first)
    const notices = noticesOf(tracking)
    await notices.turn()
    for (let round = 1; round <= 3; round += 1) {
      await other.enter(other.first)
      const later = noticesOf(tracking, 6 * round)
      await later.turn()
      await expect.poll(() => channels.of(2).length).toBe(round)
      expect(channels.of(1)).toEqual([])
    }
    hung.resolve({ status_code: 200, error: null })
    await notices.idle()
    await expect.poll(() => channels.of(1).length).toBeGreaterThan(0)
    await turn(tracking)
  })
})

test('a rule whose notice cannot be written keeps no other one waiting, three times', async ({
  tracking,
}) => {
  const own = await entering(tracking, { email: ['ada@example.com'] })
  const other = await entering(tracking, { email: ['ada@example.com'] }, { orgId: 2 })
  const { channels, worker } = tracking
  const zoneOf = (orgId: number) => {
    if (orgId === 1) throw new Error('no zone')
    return 'UTC'
  }
  for (let round = 0; round < 3; round += 1) {
    await own.enter(own.first)
    await other.enter(other.first)
    const notices = new RuleNotices({
      db: worker.db,
      channels,
      zoneOf,
      log,
      now: () => Date.now() + 6 * round * MINUTE,
    })
    await notices.turn()
    await notices.idle()
    expect([channels.of(1).length, channels.of(2).length]).toEqual([0, round + 1])
  }
  await turn(tracking, 24)
  expect(channels.of(1)).toHaveLength(1)
  expect(channels.of(1)[0]?.notice.title).toBe('Warning: Hall (3 alerts)')
})

describe('the addresses of a rule', () => {
  const make = (tracking: Tracking, notify: object) =>
    tracking.call('POST', '/rules', { body: { name: 'Home', kind: 'away_from_home', notify } })

  test('D14.6 are shown without what is secret, and one that is sent back stays', async ({ tracking }) => {
    const made = (await make(tracking, { chat: [SLACK] })).json().data
    const shown = { kind: 'slack', url: 'https://hooks.example.com/…x7Qz' }
    expect(made.notify).toEqual({ event: true, email: [], chat: [shown], remind_minutes: null })
    const second = { kind: 'teams', url: 'https://teams.example.com/hook/9999' }
    const body = { notify: { chat: [shown, second], remind_minutes: 30 } }
    const changed = (await tracking.call('PATCH', `/rules/${made.id}`, { body })).json().data
    expect(changed.notify.chat).toEqual([shown, { kind: 'teams', url: 'https://teams.example.com/…9999' }])
    expect(changed.notify.remind_minutes).toBe(30)
    const { data } = (await tracking.call('POST', `/rules/${made.id}/test`)).json()
    expect(data).toEqual({
      email: [],
      chat: ['slack', 'teams'].map((kind) => ({ kind, status_code: 200, error: null })),
    })
    expect(tracking.channels.told.map(({ to }) => to).toSorted()).toEqual([URL, second.url])
    const { rows } = await sql<{ text: string }>`select payload::text as text from outbox`.execute(
      tracking.db,
    )
    expect(JSON.stringify(rows)).not.toMatch(/services|ciphertext/)
    const stored = await sql<{ text: string }>`select notify::text as text from rule`.execute(tracking.db)
    expect(JSON.stringify(stored.rows)).not.toContain('services/T0')
  })

  test('D14.8 that cannot be used are refused, each at its place', async ({ tracking }) => {
    const notify = {
      email: ['ada@example.com', 'eve@example.com'],
      chat: [SLACK, { kind: 'slack', url: 'http://hooks.example.com' }],
    }
    const { fields } = (await make(tracking, notify)).json().error
    expect(fields.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual([
      ['notify.email[1]', 'invalid_value'],
      ['notify.chat[1].url', 'invalid_value'],
    ])
    tracking.channels.isUnreachable = true
    expect((await make(tracking, { email: ['ada@example.com'] })).statusCode).toBe(503)
    expect((await make(tracking, { email: ['admins'] })).statusCode).toBe(201)
  })

  test('are encrypted with the newest key, also a second and a third time', async ({ tracking }) => {
    await make(tracking, { chat: [SLACK, { kind: 'generic', url: 'https://generic.example.com/abcd' }] })
    const keys = async () =>
      (
        await sql<{ ids: string }>`
          select string_agg(chat -> 'sealed' ->> 'key_id', ',') as ids from rule, jsonb_array_elements(notify -> 'chat') chat`.execute(
          tracking.db,
        )
      ).rows[0]?.ids
    expect(await keys()).toBe('k1,k1')
    for (let n = 0; n < 3; n += 1) await turn(tracking)
    expect(await keys()).toBe('k2,k2')
  })
})
