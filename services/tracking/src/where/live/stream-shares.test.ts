import { describe, expect, test } from 'vitest'
import {
  MAX_CONNECTIONS,
  MAX_PER_ADDRESS,
  MAX_PER_ORG,
  RESERVED,
  StreamShares,
  TURN_MS,
  type Listener,
} from './stream-shares.ts'

type Stream = { listener: Listener; openedAtMs: number }

let people = 0
const listener = (orgId: number, address?: string): Listener => {
  people += 1
  return { orgId, userId: people, address: address ?? `address ${people}` }
}

/** `open` opens a stream as the feed does, and returns the stream that had to end for it. */
function opener() {
  const shares = new StreamShares<Stream>()
  const open = (who: Listener, nowMs = 0): Stream | undefined => {
    const displaced = shares.claim(who, nowMs)
    if (displaced) shares.remove(displaced)
    shares.add({ listener: who, openedAtMs: nowMs })
    return displaced
  }
  return { shares, open }
}

/** Organizations from 1 on, each with this many streams from its own addresses. */
function filled(orgs: number, each: number) {
  const feed = opener()
  for (let orgId = 1; orgId <= orgs; orgId += 1) for (let n = 0; n < each; n += 1) feed.open(listener(orgId))
  return feed
}

describe('S5 when the feed is full', () => {
  test('a new stream replaces the newest stream of the organization with the most', () => {
    const { shares, open } = filled(1, MAX_PER_ORG)
    for (let orgId = 100; shares.size < MAX_CONNECTIONS; orgId += 1) open(listener(orgId))
    const all = [...(shares.of(1) ?? [])]
    expect(open(listener(9_999))).toBe(all.at(-1))
    expect(shares.of(1)?.size).toBe(MAX_PER_ORG - 1)
  })

  test('the shares shrink until all are equal, with any number of organizations', () => {
    const { shares, open } = filled((MAX_CONNECTIONS - RESERVED) / MAX_PER_ORG, MAX_PER_ORG)
    for (let orgId = 1_000; orgId < 1_050; orgId += 1)
      for (let n = 0; n < 3; n += 1) expect(() => open(listener(orgId))).not.toThrow()
    expect(shares.size).toBeLessThanOrEqual(MAX_CONNECTIONS)
    for (let orgId = 1_000; orgId < 1_050; orgId += 1) expect(shares.of(orgId)?.size).toBe(3)
  })

  test('no stream ends for a listener that would then have as many', () => {
    const { open } = filled((MAX_CONNECTIONS - RESERVED) / 2, 2)
    expect(() => open(listener(1))).toThrow('At most 2 live streams of an organization at a time')
    expect(open(listener(8_000))).toBeUndefined() // from the reserve
    expect(() => open(listener(8_000))).toThrow('At most 1 live stream of an organization at a time')
  })

  test('if organizations have one stream each, an address with several loses one', () => {
    const { shares, open } = opener()
    for (let orgId = 1; orgId <= MAX_CONNECTIONS; orgId += 1)
      open(listener(orgId, `address ${Math.floor(orgId / MAX_PER_ADDRESS)}`))
    const displaced = open(listener(9_000, 'elsewhere'))
    expect(displaced?.listener.address).toMatch(/^address/)
    expect(shares.size).toBe(MAX_CONNECTIONS)
  })

  test('if all have one stream and one address, they take turns of a minute, the oldest first', () => {
    const { open } = filled(MAX_CONNECTIONS, 1)
    expect(() => open(listener(9_000), TURN_MS - 1)).toThrow(/unavailable/)
    expect(open(listener(9_000), TURN_MS)?.listener.orgId).toBe(1)
    expect(open(listener(9_001), TURN_MS)?.listener.orgId).toBe(2)
  })
})

test('a removed stream leaves nothing behind, also if it is removed twice', () => {
  const { shares, open } = opener()
  const who = listener(1)
  open(who)
  const [stream] = shares.all()
  if (!stream) throw new Error('there is one')
  shares.remove(stream)
  shares.remove(stream)
  expect([shares.size, shares.of(1), shares.all()]).toEqual([0, undefined, []])
})
