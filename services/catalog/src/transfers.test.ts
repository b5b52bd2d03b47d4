import { expect, test } from 'vitest'
import { limitTransfers } from './transfers.ts'

const bounds = { noun: 'uploads', concurrent: { user: 2, organization: 3 } } as const
const detail = (work: () => unknown) => {
  try {
    work()
    return 'begun'
  } catch (error) {
    return (error as Error).message
  }
}

test('the number of transfers of a user and of an organization is limited, apart from others', () => {
  const uploads = limitTransfers(bounds)
  const done = uploads.begin(1, 7)
  uploads.begin(1, 7)
  expect(detail(() => uploads.begin(1, 7))).toBe('At most 2 uploads of one user at a time')
  uploads.begin(1, 8)
  expect(detail(() => uploads.begin(1, 9))).toBe('At most 3 uploads of one organization at a time')
  expect(detail(() => uploads.begin(1, undefined))).toBe('At most 3 uploads of one organization at a time')
  expect(detail(() => uploads.begin(2, 7))).toBe('begun')
  done()
  done() // a second call does nothing
  expect(detail(() => uploads.begin(1, 9))).toBe('begun')
  expect(detail(() => uploads.begin(1, 9))).toBe('At most 3 uploads of one organization at a time')
})

test('starts per minute are limited, with a burst of twice as many; refused ones do not count', () => {
  const clock = { ms: 1_000_000 }
  const uploads = limitTransfers({ ...bounds, perMinute: { user: 6, organization: 10 }, now: () => clock.ms })
  const begin = (user: number) => detail(() => uploads.begin(1, user)())
  for (let i = 0; i < 12; i += 1) expect(begin(7)).toBe('begun')
  expect(begin(7)).toBe('At most 6 uploads of one user a minute')
  for (let i = 0; i < 8; i += 1) expect(begin(8)).toBe('begun')
  expect(begin(9)).toBe('At most 10 uploads of one organization a minute')
  clock.ms += 10_000
  expect(begin(7)).toBe('begun')
  expect(begin(7)).toBe('At most 6 uploads of one user a minute')
  expect(() => uploads.begin(1, 7)).toThrow(expect.objectContaining({ headers: { 'retry-after': '10' } }))
})
