import { describe, expect, test } from 'vitest'
import { shownSecret, stepOf } from './one-time-codes.ts'

/** Of RFC 6238, appendix B, for SHA-1. It lists eight digits; six of them are the last six. */
const SECRET = Buffer.from('12345678901234567890')
const VECTORS = [
  { seconds: 59, code: '287082', step: 0x1 },
  { seconds: 1_111_111_109, code: '081804', step: 0x23523ec },
  { seconds: 1_111_111_111, code: '050471', step: 0x23523ed },
  { seconds: 1_234_567_890, code: '005924', step: 0x273ef07 },
  { seconds: 2_000_000_000, code: '279037', step: 0x3f940aa },
  { seconds: 20_000_000_000, code: '353130', step: 0x27bc86aa },
]

describe('D15.2 codes of RFC 6238', () => {
  test.for(VECTORS)('$code at $seconds s is step $step', ({ seconds, code, step }) => {
    expect(stepOf(SECRET, code, seconds * 1_000)).toBe(step)
  })

  test('are good for a step more each way, to the millisecond', () => {
    const step = 0x273ef07
    const [begins, of] = [step * 30_000, (now: number) => stepOf(SECRET, '005924', now)]
    expect([of(begins - 30_001), of(begins - 30_000)]).toEqual([undefined, step])
    expect([of(begins), of(begins + 59_999), of(begins + 60_000)]).toEqual([step, step, undefined])
  })

  test.for(['', '05924', '0059240', 'ABCDEF', '-05924', '００５９２４'])(
    '"%s" is not one of them',
    (code) => {
      expect(stepOf(SECRET, code, 1_234_567_890_000)).toBe(undefined)
    },
  )
})

test('D15.2 the address has what apps need, and names the account', () => {
  const { secret, uri } = shownSecret(SECRET, 'ada+1@example.com')
  expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  const { protocol, host, pathname, searchParams } = new URL(uri)
  expect([protocol, host, decodeURIComponent(pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/Whereabouts:ada+1@example.com',
  ])
  expect(Object.fromEntries(searchParams)).toEqual({
    issuer: 'Whereabouts',
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})
