import { setTimeout as delay } from 'node:timers/promises'
import { fc, limits, timeLimit } from '@whereabouts/testing/fuzz'
import { expect, inject } from 'vitest'
import { startGateway } from '../system/gateways.ts'
import { createApi } from './support/api.ts'
import { BURST, spend } from './support/buckets.ts'
import { test as base } from './support/fixtures.ts'

/** `gateways`: the system's own and a second one on the same database. */
const test = base
  .extend('second', { scope: 'file' }, async ({}, { onCleanup }) => {
    const gateway = await startGateway(inject('place'))
    onCleanup(() => gateway.stop())
    return gateway
  })
  .extend('gateways', { scope: 'file' }, ({ api, description, second }) => [
    api,
    createApi(second.base, description),
  ])

const PER_SECOND = 1
const SHOWN_AT_MOST = 60
/** Tokens by which two clocks and binary fractions may differ. */
const SLACK = 0.02

/** The bucket of the contract: bounds of its content, because its clock is read from outside. */
class Model {
  low = BURST
  high = BURST
  /** The second of our clock for which both bounds hold. */
  at: number

  constructor(at: number) {
    this.at = at
  }

  /**
   * Records that `granted` of `asked` requests passed between two instants of our clock. Throws if no bucket could do
   * that.
   */
  take({ asked, granted, from, to }: { asked: number; granted: number; from: number; to: number }): void {
    const idle = (from - this.at) * PER_SECOND
    const meanwhile = (to - from) * PER_SECOND
    const least = Math.min(BURST, this.low + idle)
    const most = Math.min(BURST, this.high + idle) + meanwhile
    const figures = `${granted} of ${asked}, with ${least.toFixed(3)} to ${most.toFixed(3)} tokens`
    expect(granted, `too many: ${figures}`).toBeLessThanOrEqual(Math.floor(most + SLACK))
    expect(granted, `too few: ${figures}`).toBeGreaterThanOrEqual(Math.min(asked, Math.floor(least - SLACK)))
    this.low = Math.max(0, least - granted)
    this.high = Math.min(BURST, most - granted)
    if (granted < asked) this.high = Math.min(this.high, 1 + meanwhile) // a refusal means less than one token
    this.at = to
  }
}

const seconds = () => performance.now() / 1_000

test(
  'D9.9 two gateways together grant what one bucket holds, in any interleaving',
  { timeout: timeLimit(60_000) },
  async ({ gateways, org }) => {
    // The gateway of each request. Requests of one wave are sent at once.
    const which = fc.nat({ max: 1 })
    const to = fc.oneof(fc.array(which, { minLength: 10, maxLength: 45 }), fc.tuple(which))
    const pauseMs = fc.oneof(fc.constant(0), fc.nat({ max: 600 }))
    const wave = fc.record({ to, pauseMs })
    await fc.assert(
      fc.asyncProperty(fc.array(wave, { minLength: 6, maxLength: 14 }), async (waves) => {
        const { token } = await org.key()
        const model = new Model(seconds())
        for (const sent of waves) {
          await delay(sent.pauseMs)
          const from = seconds()
          const replies = await Promise.all(
            sent.to.map((index) => spend(gateways[index] ?? gateways[0]!, token)),
          )
          const granted = replies.filter(({ status }) => status !== 429).length
          model.take({ asked: sent.to.length, granted, from, to: seconds() })
          if (replies.length === 1) expectShown(model, replies[0]!.headers)
        }
      }),
      { ...limits(6, 30_000), endOnFailure: true },
    )
  },
)

/** The figures after a single request are those of the bucket. */
function expectShown({ low, high }: Model, headers: Headers): void {
  const shown = Number(headers.get('x-ratelimit-remaining'))
  expect(shown).toBeGreaterThanOrEqual(Math.min(SHOWN_AT_MOST, Math.floor(low - SLACK)))
  expect(shown).toBeLessThanOrEqual(Math.min(SHOWN_AT_MOST, Math.floor(high + SLACK)))
  const untilShownIsLimit = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1_000
  expect(untilShownIsLimit).toBeLessThanOrEqual(Math.max(0, SHOWN_AT_MOST - low) / PER_SECOND + 1.5)
  expect(untilShownIsLimit).toBeGreaterThanOrEqual(Math.max(0, SHOWN_AT_MOST - high) / PER_SECOND - 1.5)
}

test('D9.9 an empty bucket grants the token of a second once, through any gateway', async ({
  gateways,
  org,
}) => {
  const { token } = await org.key()
  const from = seconds()
  let granted = 0
  while (seconds() - from < 5) {
    const replies = await Promise.all(
      gateways.flatMap((gateway) => [spend(gateway, token), spend(gateway, token)]),
    )
    granted += replies.filter(({ status }) => status !== 429).length
  }
  const elapsed = seconds() - from
  expect(granted).toBeLessThanOrEqual(Math.floor(BURST + elapsed * PER_SECOND + SLACK))
  expect(granted).toBeGreaterThanOrEqual(Math.floor(BURST + (elapsed - 1) * PER_SECOND - SLACK))
})
