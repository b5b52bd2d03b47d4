import { expect } from 'vitest'
import { test, type Keys } from '../../test/keys.fixture.ts'
import { republishState } from './states.ts'

async function takeOutbox({ database: { db } }: Keys) {
  const rows = await db.selectFrom('outbox').select(['subject', 'payload']).orderBy('id').execute()
  await db.deleteFrom('outbox').execute()
  return rows
}

test('one state is queued again by its subject, and nothing for a subject of others', async ({ keys }) => {
  const { db } = keys.database
  await takeOutbox(keys)
  const org = await keys.signUp()
  const { jti } = await keys.createKey(org, { scopes: ['scans:write'] })
  const states = (await takeOutbox(keys)).filter(({ subject }) => subject.startsWith('keys.'))
  const newest = new Map(states.map((row) => [row.subject, row]))
  expect(Array.from(newest.keys()).toSorted()).toEqual([
    `keys.key.${jti}`,
    `keys.member.${org.orgId}.${org.userId}`,
    `keys.org.${org.orgId}`,
  ])
  for (const row of newest.values()) {
    expect(await republishState(db, { subject: row.subject })).toEqual({ published: true })
    expect(await takeOutbox(keys)).toEqual([row])
  }
  const foreign = [
    `keys.org.${org.orgId + 1}`,
    `keys.org.${org.orgId}.1`,
    `keys.org.0${org.orgId}`,
    `keys.member.${org.orgId}`,
    `keys.key.${jti}.x`,
    "keys.key.' or 1=1",
    'keys.signing_key.1',
    '',
  ]
  for (const subject of foreign) expect(await republishState(db, { subject })).toEqual({ published: false })
  expect(await takeOutbox(keys)).toEqual([])
  await expect(republishState(db, { subject: 7 })).rejects.toThrow('not a request for a state')
})
