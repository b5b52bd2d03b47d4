import { fakeClock } from '@whereabouts/testing/clock'
import { expect, test } from 'vitest'
import { REFUSAL_PAUSE_MS, slowRefusals } from './slow-refusals.ts'

const grant = { name: 'k', account: 'R0000', publish: [], subscribe: [], connectionTypes: [], expiresAt: 0 }

function scene() {
  const clock = fakeClock()
  const verdicts = new Map<string, typeof grant | { refused: string }>([
    ['right', grant],
    ['revoked', { refused: 'suspended' }],
  ])
  const decide = slowRefusals(async ({ password }) => verdicts.get(password), clock.now)
  const log = (password: string, host = '203.0.113.1') =>
    decide({ user: 'k', password, clientType: 'nats', clientId: '', host })
  return { clock, log }
}

test('the 21st refusal of an address waits, whatever the reason, and so does each further one', async () => {
  const { clock, log } = scene()
  for (let i = 0; i < 10; i += 1) {
    expect(await log('wrong')).toBeUndefined()
    expect(await log('revoked')).toEqual({ refused: 'suspended' })
  }
  for (let round = 0; round < 3; round += 1) {
    for (let i = 0; i < 5; i += 1) {
      expect(await log('wrong')).toEqual({ refused: undefined, afterMs: REFUSAL_PAUSE_MS })
      expect(await log('revoked')).toEqual({ refused: 'suspended', afterMs: REFUSAL_PAUSE_MS })
    }
    clock.advance(3_000)
    expect(await log('wrong')).toBeUndefined()
  }
})

test('a right login from the address never waits, and another address does not either', async () => {
  const { log } = scene()
  for (let i = 0; i < 100; i += 1) await log('wrong', `2001:db8::${i}`)
  expect(await log('wrong', '2001:db8::ffff')).toMatchObject({ afterMs: REFUSAL_PAUSE_MS })
  expect(await log('right', '2001:db8::ffff')).toBe(grant)
  expect(await log('wrong', '2001:db8:0:1::1')).toBeUndefined()
})
