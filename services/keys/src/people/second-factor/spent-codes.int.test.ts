import { randomBytes } from 'node:crypto'
import { takeToken } from '@whereabouts/db/buckets/token-bucket'
import { describe, expect } from 'vitest'
import { test, type Keys, type Org } from '../../../test/keys.fixture.ts'
import { codeOf, newSecret, switchOn } from '../../../test/second-factor.fixture.ts'
import { ACCOUNT_RATE, accountBucket, CODE_RATE } from '../../attempts/attempts.ts'
import { createSecondFactors } from './second-factors.ts'

/** A replica with a pool of its own, whose clock shows `now`. */
const replica = (keys: Keys, pool: 'owner' | 'worker', now: number, secret = keys.secret) => {
  const factors = createSecondFactors({ secret, now: () => now })
  const { db } = pool === 'owner' ? keys.database : keys.database.worker
  return { spend: ({ userId }: Org, code: string) => factors.spend(db, userId, code) }
}
const both = (keys: Keys, now: number) => [replica(keys, 'owner', now), replica(keys, 'worker', now)]

/** Codes by their step after that of the confirmation. */
async function withCodes(keys: Keys) {
  const org = await keys.signUp()
  const { secret } = await newSecret(keys, org)
  const at = Math.floor(keys.passTime(0) / 30_000) * 30_000
  const code = (step: number) => codeOf(secret, at + step * 30_000)
  const { statusCode, body } = await keys.post(
    '/api/v1/users/me/totp/confirm',
    { code: code(0) },
    { caller: keys.admin(org) },
  )
  if (statusCode !== 200) throw new Error(body)
  return { org, at, code, recoveryCodes: JSON.parse(body).data.recovery_codes as string[] }
}

describe('D15.2 a code is good once', () => {
  test.for([1, 2, 3])('for two replicas at once, time %i', async (_, { keys }) => {
    const { org, at, code, recoveryCodes } = await withCodes(keys)
    for (const step of [1, 2, 3]) {
      const replicas = both(keys, at + step * 30_000)
      const uses = await Promise.all([...replicas, ...replicas].map((each) => each.spend(org, code(step))))
      expect(uses.filter(Boolean)).toHaveLength(1)
    }
    for (const recovery of recoveryCodes.slice(0, 3)) {
      const uses = await Promise.all(both(keys, at).map((each) => each.spend(org, recovery)))
      expect(uses.filter(Boolean)).toHaveLength(1)
    }
  })

  test('and ends those of the steps before', async ({ keys }) => {
    const { org, at, code } = await withCodes(keys)
    const at2 = replica(keys, 'worker', at + 60_000)
    expect([
      await at2.spend(org, code(3)),
      await at2.spend(org, code(2)),
      await at2.spend(org, code(1)),
    ]).toEqual([true, false, false])
  })

  test('also near the ends of its step, by the clock of the replica', async ({ keys }) => {
    const { org, at, code } = await withCodes(keys)
    const use = (step: number, now: number) => replica(keys, 'worker', at + now).spend(org, code(step))
    expect([await use(1, -1), await use(1, 90_000)]).toEqual([false, false])
    expect([await use(1, 0), await use(2, 89_999 + 30_000)]).toEqual([true, true])
    expect([await use(4, 90_000 - 1), await use(4, 90_000)]).toEqual([false, true])
  })
})

test('D15.2 recovery codes work when the secret of the service was changed, and one-time codes say so', async ({
  keys,
}) => {
  const { org, at, code, recoveryCodes } = await withCodes(keys)
  const changed = replica(keys, 'worker', at + 30_000, randomBytes(32))
  await expect(changed.spend(org, code(1))).rejects.toThrow('was SIGNING_KEY_SECRET changed?')
  expect(await changed.spend(org, recoveryCodes[0] ?? '')).toBe(true)
})

describe('D15.2 guesses of codes', () => {
  const logIn = (keys: Keys, { email, password }: Org, code?: string) =>
    keys.post('/api/v1/auth/login', { email, password, code })
  /** Attempts on the account that were not given back. */
  const missing = async (keys: Keys, { email }: Org) => {
    const { secondsUntilFull } = await takeToken(keys.database.pool, accountBucket(email), ACCOUNT_RATE)
    return Math.round(secondsUntilFull / ACCOUNT_RATE.secondsPerToken) - 1
  }

  test('count like those of passwords, and a sign-in without a code does not', async ({ keys }) => {
    const [org, patient] = [await keys.signUp(), await keys.signUp()]
    for (const each of [org, patient]) await switchOn(keys, each)
    for (const code of ['000', 'ABCD-EFGH', 'wrong'])
      expect((await logIn(keys, org, code)).statusCode).toBe(401)
    expect(await missing(keys, org)).toBe(3)
    for (let time = 0; time < 3; time += 1) expect((await logIn(keys, patient)).statusCode).toBe(401)
    expect(await missing(keys, patient)).toBe(0)
  })

  test('are recorded as failed sign-ins', async ({ keys }) => {
    const org = await keys.signUp()
    await switchOn(keys, org)
    await logIn(keys, org)
    await logIn(keys, org, 'wrong')
    const { rows } = await keys.database.pool.query(
      "select 1 from outbox where subject = $1 and payload ->> 'action' = 'session.fail'",
      [`audit.${org.orgId}`],
    )
    expect(rows).toHaveLength(1)
  })

  test('are refused after ten, from any address; a right one costs nothing, and recovery codes go on', async ({
    keys,
  }) => {
    const org = await keys.signUp()
    const app = await switchOn(keys, org)
    const bucket = `code:${org.userId}`
    expect((await logIn(keys, org, app.next())).statusCode).toBe(200)
    expect((await logIn(keys, org, app.code(5))).statusCode).toBe(401)
    const { secondsUntilFull } = await takeToken(keys.database.pool, bucket, CODE_RATE)
    expect(Math.round(secondsUntilFull / CODE_RATE.secondsPerToken)).toBe(2) // the wrong one, and this
    for (let time = 2; time < CODE_RATE.capacity; time += 1)
      await takeToken(keys.database.pool, bucket, CODE_RATE)
    const refused = await logIn(keys, org, app.next())
    expect(refused.statusCode).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(CODE_RATE.secondsPerToken)
    expect((await logIn(keys, org, app.recoveryCodes[0])).statusCode).toBe(200)
  })
})
