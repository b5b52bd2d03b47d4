import { randomBytes } from 'node:crypto'
import { openDatabase } from '@whereabouts/db/connect/database'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { expect } from 'vitest'
import type { KeysDatabase } from '../../db.ts'
import { test, type Keys } from '../../../test/keys.fixture.ts'
import { createAccessTokens } from './access-tokens.ts'
import { createSigningKeys } from './signing-keys.ts'

const now = Date.now
const claims = { typ: 'session', sub: '7', org_id: 1, role: 'admin', member_revision: 1 } as const

const fromScratch = (keys: Keys) => keys.database.db.deleteFrom('signing_key').execute()
const replica = ({ database: { db }, secret }: Keys) => createSigningKeys({ db, secret, now })
const tokensOf = (signingKeys: ReturnType<typeof replica>) =>
  createAccessTokens({ signingKeys, environment: 'production', now })

async function age(keys: Keys, days: number): Promise<void> {
  const interval = `${days} days`
  await keys.database.pool.query(
    'update signing_key set created_at = created_at - $1::interval, activated_at = activated_at - $1::interval',
    [interval],
  )
}

test('replicas that start at once agree on one active and one next key', async ({ keys }) => {
  await fromScratch(keys)
  const pools = Array.from({ length: 4 }, () => openDatabase<KeysDatabase>(keys.database.url, { max: 1 }))
  const { secret } = keys
  const active = await Promise.all(pools.map(({ db }) => createSigningKeys({ db, secret, now }).active()))
  expect(new Set(active.map(({ kid }) => kid)).size).toBe(1)
  const rows = await keys.database.db.selectFrom('signing_key').select('state').execute()
  expect(rows.map((row) => row.state).toSorted()).toEqual(['active', 'next'])
  await Promise.all(pools.map((pool) => pool.close()))
})

test('D9.2 a rotation invalidates no token, and verifiers know the new key beforehand', async ({ keys }) => {
  await fromScratch(keys)
  const [one, two] = [replica(keys), replica(keys)]
  const before = await tokensOf(one).sign(claims, 900)
  await two.active() // has the old key in memory
  const publishedBefore = createLocalJWKSet({ keys: await one.publicKeys() })
  await age(keys, 31)
  expect(await one.rotateIfDue(30)).toBe(true)

  const after = await tokensOf(one).sign(claims, 900)
  const late = await tokensOf(two).sign(claims, 900)
  const publishedAfter = createLocalJWKSet({ keys: await one.publicKeys() })
  const kids = await Promise.all(
    [before, late, after].map(async (token) => (await jwtVerify(token, publishedAfter)).protectedHeader.kid),
  )
  expect(kids[0]).toBe(kids[1])
  expect(kids[2]).not.toBe(kids[0])
  await expect(jwtVerify(after, publishedBefore)).resolves.toBeDefined()
})

test('replicas that rotate at once rotate once', async ({ keys }) => {
  await fromScratch(keys)
  const replicas = Array.from({ length: 3 }, () => replica(keys))
  await Promise.all(replicas.map((one) => one.active()))
  await age(keys, 31)
  const rotated = await Promise.all(replicas.map((one) => one.rotateIfDue(30)))
  expect(rotated.filter(Boolean)).toHaveLength(1)
})

test('a key that is not old enough stays, and a retired one is deleted after two hours', async ({ keys }) => {
  await fromScratch(keys)
  const one = replica(keys)
  const first = await one.active()
  await age(keys, 29)
  expect(await one.rotateIfDue(30)).toBe(false)
  await age(keys, 2)
  await one.rotateIfDue(30)
  const kids = async () => (await replica(keys).publicKeys()).map((key) => key.kid)
  await one.rotateIfDue(30) // deletes what is old enough
  expect(await kids()).toContain(first.kid)
  await keys.database.pool.query("update signing_key set retired_at = retired_at - interval '2 hours'")
  await one.rotateIfDue(30)
  expect(await kids()).not.toContain(first.kid)
})

test('private keys are sealed, and another secret fails to open them', async ({ keys }) => {
  await fromScratch(keys)
  await replica(keys).active()
  const { db } = keys.database
  const wrong = createSigningKeys({ db, secret: randomBytes(32), now })
  await expect(wrong.active()).rejects.toThrow('was SIGNING_KEY_SECRET changed?')
  const rows = await db.selectFrom('signing_key').select('private_key').execute()
  // The DER prefix of every Ed25519 private key.
  for (const row of rows) expect(row.private_key.toString('hex')).not.toContain('302e020100300506032b6570')
})
