import { Secret } from 'otpauth'
import { describe, expect } from 'vitest'
import { test } from '../../../test/mail.fixture.ts'
import type { Keys, Org } from '../../../test/keys.fixture.ts'
import { codeOf, confirm, newSecret, switchOn, TOTP_PATH } from '../../../test/second-factor.fixture.ts'
import { purgePendingSecrets } from './second-factor.queries.ts'

const me = async (keys: Keys, org: Org) =>
  (await keys.send('/api/v1/users/me', { caller: keys.admin(org) })).json().data
const logIn = (keys: Keys, { email, password }: Org, code?: string) =>
  keys.post('/api/v1/auth/login', { email, password, code })
const switchOff = (keys: Keys, org: Org, body: { password: string; code: string }) =>
  keys.send(TOTP_PATH, { method: 'DELETE', body, caller: keys.admin(org) })
const actions = async (keys: Keys, { orgId }: Org) => {
  const { rows } = await keys.database.pool.query<{ payload: { action: string; changes: object } }>(
    "select payload from outbox where subject = $1 and payload ->> 'action' like 'second_factor.%' order by id",
    [`audit.${orgId}`],
  )
  return rows.map(({ payload: { action, changes } }) => [action, changes])
}
/** As if ten minutes had passed for the database. */
const age = (keys: Keys, { userId }: Org) =>
  keys.database.pool.query(
    "update second_factor set created_at = created_at - interval '10 minutes' where user_id = $1",
    [userId],
  )

describe('D15.2 switching on', () => {
  test('takes a code of the secret, gives ten recovery codes, and shows in users/me', async ({ keys }) => {
    const org = await keys.signUp()
    expect((await me(keys, org)).second_factor).toBe(false)
    const { secret, uri } = await newSecret(keys, org)
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(uri).toContain(`secret=${secret}`)
    expect((await logIn(keys, org)).statusCode).toBe(200) // a secret alone asks for nothing
    const wrong = await confirm(keys, org, codeOf(secret, keys.passTime(0) + 300_000))
    expect([wrong.statusCode, wrong.json().error.fields[0].field]).toEqual([400, 'code'])
    const right = await confirm(keys, org, codeOf(secret, keys.passTime(0)).replace(/(?=...$)/, ' '))
    expect([right.statusCode, right.headers['cache-control']]).toEqual([200, 'no-store'])
    const codes: string[] = right.json().data.recovery_codes
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
    expect((await me(keys, org)).second_factor).toBe(true)
    expect(await actions(keys, org)).toEqual([['second_factor.create', {}]])
  })

  test('is 409 while on, and a code of the confirmation is spent', async ({ keys }) => {
    const org = await keys.signUp()
    const app = await switchOn(keys, org)
    const again = await keys.post(TOTP_PATH, undefined, { caller: keys.admin(org) })
    expect([again.statusCode, (await confirm(keys, org, app.next())).statusCode]).toEqual([409, 409])
    expect((await logIn(keys, org, app.code())).statusCode).toBe(200)
  })

  test('begins again with another secret, and ends after ten minutes', async ({ keys }) => {
    const org = await keys.signUp()
    const [first, second] = [await newSecret(keys, org), await newSecret(keys, org)]
    expect((await confirm(keys, org, codeOf(first.secret, keys.passTime(0)))).statusCode).toBe(400)
    await age(keys, org)
    expect((await confirm(keys, org, codeOf(second.secret, keys.passTime(0)))).statusCode).toBe(404)
    const third = await newSecret(keys, org)
    expect((await confirm(keys, org, codeOf(third.secret, keys.passTime(0)))).statusCode).toBe(200)
  })

  test('that nobody confirms leaves no secret, and what is on stays', async ({ keys }) => {
    const [pending, on] = [await keys.signUp(), await keys.signUp()]
    await newSecret(keys, pending)
    const app = await switchOn(keys, on)
    for (const org of [pending, on]) await age(keys, org)
    expect(await purgePendingSecrets(keys.database.worker.db, 100)).toBe(1)
    expect((await logIn(keys, on, app.next())).statusCode).toBe(200)
  })

  test('keeps no secret and no code in the clear', async ({ keys }) => {
    const org = await keys.signUp()
    const { secret } = await newSecret(keys, org)
    const confirmed = await confirm(keys, org, codeOf(secret, keys.passTime(0)))
    const { rows } = await keys.database.pool.query(
      `select row_to_json(f)::text || (select json_agg(c)::text from recovery_code c where c.user_id = f.user_id) as kept
       from second_factor f where f.user_id = $1`,
      [org.userId],
    )
    const kept = String(rows[0].kept)
    const bytes = Buffer.from(Secret.fromBase32(secret).bytes).toString('hex')
    for (const clear of [secret, bytes, ...confirmed.json().data.recovery_codes])
      expect(kept).not.toContain(clear)
    expect(kept).toContain('\\x')
  })
})

describe('D15.2 a sign-in with one-time codes', () => {
  test('says the same for a missing and a wrong code, and only after the right password', async ({
    keys,
  }) => {
    const org = await keys.signUp()
    const app = await switchOn(keys, org)
    const used = app.code()
    const answers = [await logIn(keys, org), await logIn(keys, org, used), await logIn(keys, org, 'x')]
    const errors = answers.map((answer) => {
      const { statusCode, headers } = answer
      const { request_id: _, ...error } = answer.json().error
      return { statusCode, bearer: headers['www-authenticate'], error }
    })
    expect(errors[0]).toMatchObject({
      statusCode: 401,
      error: { type: 'unauthorized', second_factor: true },
    })
    expect(errors[0]?.bearer).toBe('Bearer realm="api"')
    expect([errors[1], errors[2]]).toEqual([errors[0], errors[0]])
    const unknown = await logIn(keys, { ...org, password: 'wrong' }, app.next())
    expect([unknown.statusCode, unknown.json().error.second_factor]).toEqual([401, undefined])
    expect((await logIn(keys, org, app.code())).statusCode).toBe(200)
  })

  test('takes a recovery code once, as people type it, and records it', async ({ keys }) => {
    const org = await keys.signUp()
    const [first = '', second = ''] = (await switchOn(keys, org)).recoveryCodes
    expect((await logIn(keys, org, first)).statusCode).toBe(200)
    expect((await logIn(keys, org, first)).statusCode).toBe(401)
    expect((await logIn(keys, org, second.toLowerCase().replaceAll('-', ' '))).statusCode).toBe(200)
    expect(await actions(keys, org)).toEqual([
      ['second_factor.create', {}],
      ['second_factor.update', { recovery_codes: { from: 10, to: 9 } }],
      ['second_factor.update', { recovery_codes: { from: 9, to: 8 } }],
    ])
  })

  test('does not take codes of somebody else', async ({ keys }) => {
    const [org, other] = [await keys.signUp(), await keys.signUp()]
    await switchOn(keys, org)
    const theirs = await switchOn(keys, other)
    expect((await logIn(keys, org, theirs.next())).statusCode).toBe(401)
    expect((await logIn(keys, org, theirs.recoveryCodes[0])).statusCode).toBe(401)
    expect((await logIn(keys, other, theirs.recoveryCodes[0])).statusCode).toBe(200)
  })

  test('stays after a reset of the password, which ends the sessions', async ({ keys, post }) => {
    const org = await keys.signUp()
    const app = await switchOn(keys, org)
    await keys.post('/api/v1/auth/password/forgot', { email: org.email })
    const { token } = await post.lastTo(org.email)
    const password = 'a password never used before'
    const reset = await keys.post('/api/v1/auth/password/reset', { token, password })
    expect([reset.statusCode, reset.body]).toEqual([204, ''])
    const { refresh_token } = org.session
    expect((await keys.post('/api/v1/auth/refresh', { refresh_token })).statusCode).toBe(401)
    const without = await logIn(keys, { ...org, password })
    expect([without.statusCode, without.json().error.second_factor]).toEqual([401, true])
    expect((await logIn(keys, { ...org, password }, app.next())).statusCode).toBe(200)
  })
})

describe('D15.2 switching off', () => {
  test('needs the password and a code', async ({ keys }) => {
    const org = await keys.signUp()
    const app = await switchOn(keys, org)
    const [password, code] = [org.password, app.next()]
    const refusals = [
      await switchOff(keys, org, { password: 'wrong', code }),
      await switchOff(keys, org, { password, code: 'wrong' }),
    ]
    expect(refusals.map((answer) => [answer.statusCode, answer.json().error.fields[0].field])).toEqual([
      [400, 'password'],
      [400, 'code'],
    ])
    expect((await switchOff(keys, org, { password, code })).statusCode).toBe(204)
    expect((await switchOff(keys, org, { password, code })).statusCode).toBe(404)
    expect((await me(keys, org)).second_factor).toBe(false)
    expect((await logIn(keys, org)).statusCode).toBe(200)
    expect((await actions(keys, org)).at(-1)).toEqual(['second_factor.delete', {}])
  })

  test('works with a recovery code, and the next secret has codes of its own', async ({ keys }) => {
    const org = await keys.signUp()
    const [first = '', second = ''] = (await switchOn(keys, org)).recoveryCodes
    expect((await switchOff(keys, org, { password: org.password, code: first })).statusCode).toBe(204)
    const app = await switchOn(keys, org)
    expect((await logIn(keys, org, second)).statusCode).toBe(401)
    expect((await logIn(keys, org, app.next())).statusCode).toBe(200)
  })

  test('and on are mailed to an address that was verified, and to no other', async ({ keys, post }) => {
    const [org, unverified] = [await keys.signUp(), await keys.signUp()]
    const { token } = await post.lastTo(org.email)
    await keys.post('/api/v1/auth/verify', { token })
    await switchOn(keys, unverified)
    const app = await switchOn(keys, org)
    expect((await post.lastTo(org.email)).subject).toBe('One-time codes were switched on')
    await switchOff(keys, org, { password: org.password, code: app.next() })
    expect((await post.lastTo(org.email)).subject).toBe('One-time codes were switched off')
    expect((await post.lastTo(unverified.email)).subject).toBe('Confirm your e-mail address')
  })
})
