import { expect } from 'vitest'
import { quantile } from '../../bench/load/figures.ts'
import type { Api } from '../../contract/support/api.ts'
import { newOrganization } from '../../contract/support/organization.ts'

/** Of the requests of the victim. */
const UNDISTURBED_ROUNDS = 60
/** An attack goes on until the victim has had them, however slow the machine is. */
const ROUNDS_DURING = 10
/** If the victim waited for the end of the attack, it would have fewer by then. Much longer than a busy machine needs. */
const MOST_DURING_MS = 90_000
/** A user may send 1 200 requests at once, and a round has four at most. */
const MOST_ROUNDS_DURING = 200

type Answer = { status: number; ms: number }

/** What a new organization does all the time: it reads a list and a report, and saves. */
export async function usualRequests(api: Api) {
  const { admin: token } = await newOrganization(api)
  return [
    () => api.call('listAssets', { token }),
    () => api.call('listAssetLocations', { token }),
    () => api.call('createAsset', { token, body: { name: 'Made during an attack' } }),
  ]
}

/**
 * Sends `requests` in turn, first undisturbed and then until `attack` ends, which goes on at least until `isServed`. Fails if one
 * is refused or answered with an error, or if the attack leaves room for a few only. Prints the times; how much longer they
 * take depends on the machine.
 */
export async function beside<T>(
  name: string,
  requests: readonly (() => Promise<{ status: number }>)[],
  attack: (isServed: () => boolean) => Promise<T>,
): Promise<T> {
  const round = async () => {
    const answers: Answer[] = []
    for (const request of requests) {
      const begun = performance.now()
      const { status } = await request()
      answers.push({ status, ms: performance.now() - begun })
    }
    return answers
  }
  const before: Answer[] = []
  for (let i = 0; i < UNDISTURBED_ROUNDS; i += 1) before.push(...(await round()))

  let isOver = false
  const during: Answer[] = []
  const begunAt = performance.now()
  const hasRounds = () => during.length >= ROUNDS_DURING * requests.length
  const attacking = attack(() => hasRounds() || performance.now() - begunAt > MOST_DURING_MS).finally(
    () => (isOver = true),
  )
  while (!isOver && during.length < MOST_ROUNDS_DURING * requests.length) during.push(...(await round()))
  const result = await attacking

  const p99 = (answers: readonly Answer[]) =>
    quantile(
      answers.map(({ ms }) => ms),
      0.99,
    )
  const [undisturbed, disturbed] = [p99(before), p99(during)]
  console.log(
    `walls: ${during.length} requests beside ${name}, p99 ${undisturbed.toFixed(0)} ms undisturbed, ${disturbed.toFixed(0)} ms during it, ${(disturbed / undisturbed).toFixed(1)} times`,
  )
  expect(during.filter(({ status }) => status < 200 || status > 299)).toEqual([])
  expect(hasRounds()).toBe(true)
  return result
}
