import { createHmac, randomBytes } from 'node:crypto'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { recordMoves, secretKeys, test as dispatcherTest } from '../../test/dispatcher.fixture.ts'
import { signature } from '../receivers/signature.ts'
import { resealSecrets } from './reseal.loop.ts'
import { countSeals } from './reseal.queries.ts'
import type { SecretKeys } from './secrets.ts'

const log = createLogger('test', 'silent')

type Hook = {
  id: number
  secret: string
  rotate: (org?: number) => Promise<string>
  /** Which of these secrets signed the last delivery, by `webhook-signature`, and `X-Service-Signature`. */
  signers: (secrets: readonly string[], by?: SecretKeys) => Promise<{ v1: number[]; service: number }>
  /** Moves the clock of the database ahead for the end of the secret before. */
  pass: (hours: number) => Promise<void>
}

const test = dispatcherTest.extend<{ hook: Hook }>({
  hook: async ({ database, receiver, orgId, dispatcher }, use) => {
    const { call } = dispatcher()
    const { data } = (await call(orgId, 'POST', '', { url: receiver.url })).json()
    await use({
      ...data,
      rotate: async (org = orgId) =>
        (await call(org, 'POST', `/${data.id}/rotate-secret`)).json().data?.secret,
      async signers(secrets, by = secretKeys) {
        const sent = receiver.received.length
        const running = dispatcher({ secretKeys: by }).deliverFor(orgId)
        await recordMoves(database.db, orgId)
        await expect.poll(() => receiver.received.length, { timeout: 15_000 }).toBe(sent + 1)
        await running.stopDeliveries()
        const { headers = {}, body = Buffer.alloc(0) } = receiver.received.at(-1) ?? {}
        const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.toString()}`
        const v1 = secrets.map((secret) => {
          const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
          return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
        })
        const time = String(headers['x-service-timestamp'])
        const service = secrets.map((secret) => signature(secret, time, body))
        return {
          v1: String(headers['webhook-signature'])
            .split(' ')
            .map((one) => v1.indexOf(one)),
          service: service.indexOf(String(headers['x-service-signature'])),
        }
      },
      async pass(hours) {
        await database.db
          .updateTable('webhook')
          .set({ previous_until: sql<string>`previous_until - make_interval(hours => ${hours}::int)` })
          .where('org_id', '=', orgId)
          .execute()
      },
    })
  },
})

test('D13.5 a rotation answers 200 with the new secret, once, and the view has nothing else', async ({
  orgId,
  dispatcher,
  hook,
}) => {
  const { call } = dispatcher()
  const before = (await call(orgId, 'GET', `/${hook.id}`)).json().data
  const reply = await call(orgId, 'POST', `/${hook.id}/rotate-secret`)
  expect(reply.statusCode).toBe(200)
  const { secret, updated_at } = reply.json().data
  expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/)
  expect(updated_at > before.updated_at).toBe(true)
  const after = { ...before, updated_at, secret: `whsec_…${secret.slice(-4)}` }
  expect(reply.json()).toEqual({ data: { ...after, secret } })
  expect((await call(orgId, 'GET', `/${hook.id}`)).json()).toEqual({ data: after })
})

test('D13.5 another organization cannot rotate a secret, and it stays', async ({ newOrg, hook }) => {
  expect(await hook.rotate(newOrg())).toBeUndefined()
  expect(await hook.signers([hook.secret])).toEqual({ v1: [0], service: 0 })
})

test('D13.6 after each of three rotations the last two secrets sign, the newest first, and it alone signs X-Service-Signature', async ({
  hook,
}) => {
  const secrets = [hook.secret]
  for (let n = 1; n <= 3; n += 1) {
    secrets.push(await hook.rotate())
    expect(await hook.signers(secrets)).toEqual({ v1: [n, n - 1], service: n })
  }
})

test('D13.6 the secret before signs for 24 hours, over three rotations, and test events alike', async ({
  orgId,
  receiver,
  dispatcher,
  hook,
}) => {
  const secrets = [hook.secret]
  for (let n = 1; n <= 3; n += 1) {
    secrets.push(await hook.rotate())
    await hook.pass(23)
    expect((await hook.signers(secrets)).v1).toEqual([n, n - 1])
    await dispatcher().call(orgId, 'POST', `/${hook.id}/test`)
    expect(String(receiver.received.at(-1)?.headers['webhook-signature']).split(' ')).toHaveLength(2)
    await hook.pass(1)
    expect((await hook.signers(secrets)).v1).toEqual([n])
  }
})

test('D13.6 both secrets are re-encrypted with a new key, and one that has ended is dropped', async ({
  database,
  hook,
}) => {
  const across = database.worker.db
  await database.db.deleteFrom('webhook').where('id', '!=', hook.id).execute()
  const secrets = [hook.secret]
  for (let n = 1; n <= 3; n += 1) {
    secrets.push(await hook.rotate())
    const next: SecretKeys = [{ id: `n${n}`, key: randomBytes(32) }]
    expect(await resealSecrets({ across, secretKeys: [...next, ...secretKeys], log })).toBe(2)
    expect(await countSeals(across)).toEqual([{ secret_key_id: `n${n}`, secrets: 2 }])
    expect((await hook.signers(secrets, next)).v1).toEqual([n, n - 1])
    expect(await resealSecrets({ across, secretKeys: [secretKeys[0], ...next], log })).toBe(2)
  }
  await hook.pass(24)
  await resealSecrets({ across, secretKeys, log })
  expect(await countSeals(across)).toEqual([{ secret_key_id: 'k1', secrets: 1 }])
})

test('D13.6 if the key of the secret before is lost, deliveries are signed with the newest', async ({
  database,
  hook,
}) => {
  const secrets = [hook.secret, await hook.rotate()]
  await database.db
    .updateTable('webhook')
    .set({ previous_key_id: 'lost' })
    .where('id', '=', hook.id)
    .execute()
  expect(await hook.signers(secrets)).toEqual({ v1: [1], service: 1 })
})
