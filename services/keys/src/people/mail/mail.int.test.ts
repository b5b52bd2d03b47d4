import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { test, type Post } from '../../../test/mail.fixture.ts'
import type { Keys } from '../../../test/keys.fixture.ts'

const newAddress = () => `eve-${randomUUID()}@example.com`

/** A notice, which needs no user. */
async function write(keys: Keys, to = newAddress()): Promise<{ id: string; to: string }> {
  const id = keys.mails.newId()
  await keys.mails.write(keys.database.db, {
    id,
    template: 'email_changed',
    to,
    values: { email: 'new@example.com' },
  })
  return { id, to }
}

const rowOf = (keys: Keys, id: string) =>
  keys.database.db.selectFrom('mail').selectAll().where('id', '=', id).executeTakeFirst()

const makeDue = (keys: Keys, id: string) =>
  keys.database.pool.query(`update mail set next_attempt_at = clock_timestamp() where id = $1`, [id])

const received = (post: Post, to: string) => post.caught.filter((mail) => mail.to === to)

test('D15.1 a sent mail has text, HTML and sender, and its row is gone', async ({ keys, post }) => {
  const { id, to } = await write(keys)
  const mail = await post.lastTo(to)
  expect(mail).toMatchObject({ from: 'mail@whereabouts.example', subject: 'Your e-mail address was changed' })
  expect(mail.text).toContain('new@example.com')
  expect(mail.html).toContain('<h1')
  expect(await rowOf(keys, id)).toBeUndefined()
})

test('of three replicas, one sends each mail', async ({ keys, post }) => {
  const mails = await Promise.all(Array.from({ length: 12 }, () => write(keys)))
  await Promise.all([post.send(), post.send(), post.send()])
  expect(mails.map(({ to }) => received(post, to).length)).toEqual(mails.map(() => 1))
})

test('a mail that fails is retried after growing pauses, never before', async ({ keys, post }) => {
  const { id, to } = await write(keys)
  post.answer(451)
  const pauses: number[] = []
  const outcomes: string[] = []
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await post.send({ onOutcome: (outcome) => outcomes.push(outcome) })
    await post.send() // not due
    const { rows } = await keys.database.pool.query<{ minutes: number; attempts: number }>(
      `select round(extract(epoch from next_attempt_at - clock_timestamp()) / 60)::int as minutes, attempts from mail where id = $1`,
      [id],
    )
    expect(rows[0]?.attempts).toBe(attempt + 1)
    pauses.push(rows[0]?.minutes ?? 0)
    await makeDue(keys, id)
  }
  expect(pauses).toEqual([2, 4, 8, 16])
  expect(outcomes).toEqual(['failed', 'failed', 'failed', 'failed'])
  post.answer(undefined)
  expect((await post.lastTo(to)).to).toBe(to)
  expect(await rowOf(keys, id)).toBeUndefined()
})

test('an address that the server refuses for good is not tried again', async ({ keys, post }) => {
  const { id } = await write(keys)
  post.answer(550)
  const outcomes: string[] = []
  await post.send({ onOutcome: (outcome) => outcomes.push(outcome) })
  post.answer(undefined)
  expect(outcomes).toEqual(['refused'])
  expect(await rowOf(keys, id)).toBeUndefined()
})

test('a mail whose time is over is given up and deleted', async ({ keys, post }) => {
  const { id, to } = await write(keys)
  await keys.database.pool.query(`update mail set expires_at = clock_timestamp() where id = $1`, [id])
  const outcomes: string[] = []
  await post.send({ onOutcome: (outcome) => outcomes.push(outcome) })
  expect(outcomes).toEqual(['expired'])
  expect(received(post, to)).toEqual([])
  expect(await rowOf(keys, id)).toBeUndefined()
})

test('a process that dies before it deletes the row leaves the mail to a second attempt, with the same link', async ({
  keys,
  post,
}) => {
  const org = await keys.signUp()
  const { rows } = await keys.database.pool.query<{ id: string }>(
    `select id from mail where recipient = $1`,
    [org.email],
  )
  const id = rows[0]?.id ?? ''
  const died = post.send({
    smtp: {
      send: () => Promise.reject(new Error('killed')),
    },
  })
  await expect(died).rejects.toThrow('killed')
  expect(received(post, org.email)).toEqual([])
  await makeDue(keys, id)
  const first = await post.lastTo(org.email)
  expect(first.token).toBe(keys.mails.tokenOf(id))
})

test('no row holds a token', async ({ keys, post }) => {
  const org = await keys.signUp()
  const dump = async () =>
    JSON.stringify(
      await keys.database.db.selectFrom('mail').selectAll().where('recipient', '=', org.email).execute(),
    )
  const before = await dump()
  expect(before).toContain('verification')
  const { token } = await post.lastTo(org.email)
  expect(token).toHaveLength(43)
  expect(before).not.toContain(token)
})
