import { connect } from 'nats'
import { describe, expect, inject } from 'vitest'
import type { Rows } from './support/rows.ts'
import { settled, test } from './support/walls.fixture.ts'

/** The others are for organizations that publish (ADR 64). */
const HALF_OF_THE_ACCOUNTS = 500
const NAME = 'walls: takes an account'

/**
 * As after as many sign-ups that logged in over NATS once. Only the rows are made here, because the sign-ups would take
 * a minute. Resolves with a function that removes them.
 */
async function takeAccounts(rows: Rows): Promise<() => Promise<void>> {
  await rows.query(
    `insert into keys.org (name, reader_account, reader_account_used_at)
    select $1, number, clock_timestamp() from generate_series(0, 999) number
    where not exists (select from keys.org where reader_account = number) limit $2`,
    [NAME, HALF_OF_THE_ACCOUNTS],
  )
  return async () => void (await rows.query('delete from keys.org where name = $1', [NAME]))
}

describe('R9 the reader accounts for anybody are taken', () => {
  test('R9 an organization that never used NATS logs in, and publishes', async ({
    api,
    newOrg,
    watcher,
    rows,
    onTestFinished,
  }) => {
    onTestFinished(await takeAccounts(rows))
    const org = await newOrg()
    const { clientId, clientSecret } = await org.key({ scopes: ['scans:write'] })
    const login = { servers: inject('urls').nats, user: clientId, pass: clientSecret, reconnect: false }
    const nc = await connect({ ...login, inboxPrefix: `_INBOX.${clientId}` })
    const reads = [{ tag: { type: 'barcode', value: 'SHARED' }, antenna: 1 }]
    const { stream } = await nc
      .jetstream()
      .publish(`scans.${org.id}.shared.canonical`, JSON.stringify({ reads }))
    expect(stream).toBe('SCANS')
    // In an account of its own it could read every inbox.
    const foreign = nc.subscribe('_INBOX.>')
    await expect(nextOf(foreign)).rejects.toThrow(/permissions violation/i)
    await nc.close()
    const values = async () => {
      const { body } = await api.call('listUnknownTags', { token: org.admin })
      return body.data.map(({ value }) => value)
    }
    await expect.poll(values).toEqual(['SHARED'])
    await settled(watcher, rows)
  })
})

async function nextOf(messages: AsyncIterable<unknown>): Promise<unknown> {
  return messages[Symbol.asyncIterator]().next()
}
