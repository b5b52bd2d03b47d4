import type { Receiver } from '@whereabouts/testing/receiver'
import { expect } from 'vitest'
import { addWebhook, movedJob, test as dispatcherTest } from '../../../test/dispatcher.fixture.ts'
import { listAttempts } from '../../delivery-log/delivery-log.queries.ts'
import { deleteWebhook } from '../../webhooks/webhooks.queries.ts'

const test = dispatcherTest.extend<{
  /** Deletes the webhook and registers one with this path. Returns its id. */
  replace: (id: number, path: string) => Promise<number>
  /** As if the webhook were older, so that only its id tells it from the one before. */
  backdate: () => Promise<unknown>
}>({
  replace: async ({ database, receiver, orgId }, use) =>
    use(async (id, path) => {
      await deleteWebhook(database.db, orgId, id)
      return (await addWebhook(database.db, orgId, `${receiver.url}/${path}`)).id
    }),
  backdate: async ({ database, orgId }, use) =>
    use(() =>
      database.db
        .updateTable('webhook')
        .set({ enabled_at: '2026-01-01T00:00:00.000Z' })
        .where('org_id', '=', orgId)
        .execute(),
    ),
})

const fail = (receiver: Receiver) => receiver.respondWith((_, response) => void response.writeHead(500).end())
const paths = ({ received }: Receiver) => received.map(({ path }) => path)

test('D13.13 a retry never goes to a webhook that replaced its own, whatever the clocks say', async ({
  database,
  receiver,
  orgId,
  dispatcher,
  replace,
  backdate,
}) => {
  let { id } = await addWebhook(database.db, orgId, `${receiver.url}/1`)
  fail(receiver)
  let replaced = 1
  const { run, counted } = dispatcher({
    wait: async () => {
      id = await replace(id, String((replaced += 1)))
      await backdate()
    },
  })
  for (let n = 0; n < 3; n += 1) await run(movedJob(orgId))
  expect(paths(receiver)).toEqual(['/hook/1', '/hook/2', '/hook/3'])
  const one = ['attempt failed', 'dropped: webhook_replaced']
  expect(counted).toEqual([...one, ...one, ...one])
})

test('D13.13 what was recorded before the deletion waits in vain; what came after the replacement is sent', async ({
  database,
  receiver,
  orgId,
  dispatcher,
  replace,
}) => {
  let { id } = await addWebhook(database.db, orgId, receiver.url)
  const { run, counted } = dispatcher()
  for (const path of ['2', '3', '4']) {
    const before = movedJob(orgId)
    await expect.poll(() => Date.now()).toBeGreaterThan(before.receivedAt)
    id = await replace(id, path)
    await run(before)
    await run({ ...before, deliveryCount: 2 })
    await run(movedJob(orgId, { receivedAt: Date.now() + 1 }))
  }
  expect(counted.filter((what) => what.startsWith('dropped'))).toEqual(
    Array(6).fill('dropped: before_enabled'),
  )
  expect(paths(receiver)).toEqual(['/hook/2', '/hook/3', '/hook/4'])
})

test('D13.13 replaced between look-up and attempt: the attempt is that of the first, and the rest is dropped', async ({
  database,
  receiver,
  orgId,
  dispatcher,
  replace,
  backdate,
}) => {
  const { id } = await addWebhook(database.db, orgId, `${receiver.url}/1`)
  fail(receiver)
  const { run, counted, deps } = dispatcher()
  const { store } = deps
  let next: number | undefined
  deps.store = {
    ...store,
    async findTarget(org) {
      const target = await store.findTarget(org)
      if (next === undefined) {
        next = await replace(id, '2')
        await backdate()
      }
      return target
    },
  }
  const job = movedJob(orgId)
  await run(job)
  // After a SIGKILL, only the log knows with which webhook the delivery began.
  await run(movedJob(orgId, { payload: job.payload, deliveryCount: 2 }))
  expect(paths(receiver)).toEqual(['/hook/1'])
  expect(counted).toEqual(['attempt failed', 'dropped: webhook_replaced', 'dropped: webhook_replaced'])
  const page = { limit: 50, offset: 0 }
  expect(await listAttempts(database.db, orgId, next ?? 0, page)).toEqual([])
})
