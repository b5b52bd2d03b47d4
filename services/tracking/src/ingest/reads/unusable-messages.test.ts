import { expect, test } from 'vitest'
import { UnusableMessages } from './unusable-messages.ts'

const MINUTE = 60_000

test('organizations with more than a hundred unusable messages in the last hour are counted', () => {
  let now = 0
  const messages = new UnusableMessages(() => now)
  const note = (orgId: number, count: number) => {
    for (let n = 0; n < count; n += 1) messages.note(orgId)
  }
  note(1, 100)
  note(2, 60)
  expect(messages.organizations()).toBe(0)
  note(1, 1)
  expect(messages.organizations()).toBe(1)
  now = 35 * MINUTE
  note(2, 60)
  expect(messages.organizations()).toBe(2)
  now = 61 * MINUTE
  note(3, 1)
  expect(messages.organizations()).toBe(0)
})
