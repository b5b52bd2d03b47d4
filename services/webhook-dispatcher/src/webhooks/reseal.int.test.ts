import { randomBytes } from 'node:crypto'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { expect } from 'vitest'
import { test as dispatcherTest, webhookOf } from '../../test/dispatcher.fixture.ts'
import { resealSecrets, startResealing } from './reseal.loop.ts'
import { listSealedWithOtherKeys, replaceSeal } from './reseal.queries.ts'
import { openSecret, sealSecret, type SecretKeys } from './secrets.ts'
import { insertEndpoint, insertWebhook } from './webhooks.queries.ts'

const [k1, k2, k3] = ['k1', 'k2', 'k3'].map((id) => ({ id, key: randomBytes(32) })) as [Key, Key, Key]
type Key = SecretKeys[0]
const log = createLogger('test', 'silent')

const URL_OF_HOOK = 'https://example.com/hook'

type Seals = {
  /**
   * Adds webhooks, encrypted with the first of these keys, of organizations from `from` on. Returns the
   * organizations.
   */
  addWebhooks: (keys: SecretKeys, count: number, from?: number) => Promise<number[]>
  reseal: (keys: SecretKeys) => Promise<number>
  /** The organization's secret, opened with these keys. */
  secretOf: (orgId: number, keys: SecretKeys) => Promise<string>
}

const test = dispatcherTest.extend<Seals>({
  addWebhooks: async ({ database }, use) => {
    await database.db.deleteFrom('webhook').execute()
    await use(async (keys, count, from = 1) => {
      const orgIds = Array.from({ length: count }, (_, i) => from + i)
      for (const orgId of orgIds) {
        const sealed = sealSecret(keys, orgId, `whsec_${orgId}`)
        const webhook = { url: URL_OF_HOOK, enabled: true, secret_last_four: 'test', ...sealed }
        await insertWebhook(database.db, orgId, webhook)
      }
      return orgIds
    })
  },
  reseal: async ({ database }, use) =>
    use((secretKeys) => resealSecrets({ across: database.worker.db, secretKeys, log })),
  secretOf: async ({ database }, use) =>
    use(async (orgId, keys) => {
      const target = await webhookOf(database.db, orgId)
      if (!target) throw new Error('no webhook')
      return openSecret(keys, orgId, target)
    }),
})

test('D11.1 every secret is re-encrypted with the first key; the old key is no longer needed', async ({
  database,
  addWebhooks,
  reseal,
  secretOf,
}) => {
  const orgIds = await addWebhooks([k1], 450)
  const before = await database.db
    .selectFrom('webhook')
    .select(['org_id', 'updated_at', 'enabled_at'])
    .orderBy('org_id')
    .execute()
  expect(await reseal([k2, k1])).toBe(450)
  for (const orgId of orgIds) expect(await secretOf(orgId, [k2])).toBe(`whsec_${orgId}`)
  const after = await database.db
    .selectFrom('webhook')
    .select(['org_id', 'updated_at', 'enabled_at'])
    .orderBy('org_id')
    .execute()
  expect(after).toEqual(before)
})

test('D13.9 a run covers all webhooks of an organization, also where a batch ends between them', async ({
  database,
  addWebhooks,
  reseal,
}) => {
  const orgIds = await addWebhooks([k1], 40)
  for (const orgId of orgIds)
    for (let n = 0; n < 10; n += 1) {
      const sealed = sealSecret([k1], orgId, `whsec_${orgId}_${n}`)
      const webhook = { url: URL_OF_HOOK, enabled: true, secret_last_four: 'test', ...sealed }
      await database.db.transaction().execute((tx) => insertEndpoint(tx, orgId, webhook))
    }
  expect(await reseal([k2, k1])).toBe(440)
  const left = database.db.selectFrom('webhook').select('id').where('secret_key_id', '=', 'k1')
  expect(await left.execute()).toEqual([])
})

test('a second run changes nothing', async ({ database, addWebhooks, reseal }) => {
  await addWebhooks([k1], 3)
  await reseal([k2, k1])
  const before = await database.db.selectFrom('webhook').selectAll().orderBy('org_id').execute()
  expect(await reseal([k2, k1])).toBe(0)
  expect(await database.db.selectFrom('webhook').selectAll().orderBy('org_id').execute()).toEqual(before)
})

test('concurrent replicas re-encrypt each secret once, and every secret opens', async ({
  addWebhooks,
  reseal,
  secretOf,
}) => {
  const orgIds = await addWebhooks([k1], 300)
  const replaced = await Promise.all([reseal([k2, k1]), reseal([k2, k1]), reseal([k2, k1])])
  expect(replaced.reduce((sum, n) => sum + n, 0)).toBe(300)
  for (const orgId of orgIds) expect(await secretOf(orgId, [k2])).toBe(`whsec_${orgId}`)
})

test('a webhook that is re-created during the run keeps its new secret', async ({
  database,
  addWebhooks,
  secretOf,
}) => {
  await addWebhooks([k1], 1)
  const [stale] = await listSealedWithOtherKeys(database.db, 'k2', 0, 10)
  await database.db.deleteFrom('webhook').execute()
  const sealed = sealSecret([k1], 1, 'whsec_new')
  const webhook = { url: URL_OF_HOOK, enabled: true, secret_last_four: 'test', ...sealed }
  await insertWebhook(database.db, 1, webhook)
  expect(stale && (await replaceSeal(database.db, stale, sealSecret([k2], 1, 'whsec_1')))).toBe(false)
  expect(await secretOf(1, [k1])).toBe('whsec_new')
})

test('a secret whose key is missing is unchanged and counted, and does not stop the others', async ({
  database,
  addWebhooks,
  secretOf,
}) => {
  await addWebhooks([k1], 1)
  await addWebhooks([k3], 1, 2)
  await addWebhooks([k1], 1, 3)
  const rounds: number[] = []
  const secretKeys: SecretKeys = [k2, k1]
  const loop = startResealing({
    across: database.worker.db,
    secretKeys,
    log,
    onRound: (left) => rounds.push(left),
  })
  await expect.poll(() => rounds).toEqual([1])
  await loop.stop()
  expect(await secretOf(1, [k2])).toBe('whsec_1')
  expect(await secretOf(3, [k2])).toBe('whsec_3')
  expect(await secretOf(2, [k3])).toBe('whsec_2') // with its key, it opens
})

test('after a stop, the next run re-encrypts the rest', async ({ database, addWebhooks }) => {
  await addWebhooks([k1], 50)
  const stopping = new AbortController()
  const options = { across: database.worker.db, secretKeys: [k2, k1] as SecretKeys, log }
  const running = resealSecrets(options, stopping.signal)
  stopping.abort()
  const before = await running
  expect(before).toBeLessThan(50)
  expect(await resealSecrets(options)).toBe(50 - before)
})
