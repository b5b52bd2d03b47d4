import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRole } from '@whereabouts/testing/database/database'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from './database.ts'
import { sessionLock } from './session-lock.ts'

test('a lock that another process holds is asked for again and again, and nothing stays at the connections', async () => {
  const role = await createRole('secret')
  const open = () => openDatabase(role.url('secret'), { max: 1, log: createLogger('test', 'silent') })
  const [first, second] = [open(), open()]
  onTestFinished(async () => {
    await Promise.all([first.close(), second.close()])
    await role.drop()
  })
  const [held, waiting] = [sessionLock(first.pool, 'work', 60_000), sessionLock(second.pool, 'work', 60_000)]
  expect(await held.take()).toBeDefined()
  const listeners = async () => {
    const client = await second.pool.connect()
    const count = client.listenerCount('error')
    client.release()
    return count
  }
  const before = await listeners()
  for (let i = 0; i < 30; i += 1) expect(await waiting.take()).toBeUndefined()
  expect(await listeners()).toBe(before)
  held.abandon()
  await expect.poll(() => waiting.take()).toBeDefined()
  waiting.abandon()
})
