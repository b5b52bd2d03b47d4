import { z } from 'zod'
import { askServer } from './ask-servers.ts'
import type { Broker } from './connection.ts'

/** What a broker user sent to one broker since the last look at its connections. */
export type Sent = { user: string; bytes: number; messages: number }

/** What a connection sent since it was opened. */
type Counters = { bytes: number; messages: number }
type Connection = { cid: number; user: string; startMs: number; counters: Counters }

/** The connections of one account at one broker, looked at again and again. */
export type FollowedAccount = {
  /** Until when it is to be followed, by `performance.now()`. */
  untilMs: number
  /** Tells what was sent since the last look. Resolves with the number of pages it took; throws without an answer. */
  look(): Promise<number>
  /** A connection has ended, with these totals: what it sent since the last look is told. */
  ended(connection: Connection): void
}

type Options = {
  serverId: string
  account: string
  /** A time of the broker's clock, in milliseconds since 1970: connections opened later count from their begin. */
  sinceMs: number
  onSent: (sent: readonly Sent[]) => void
}

const PAGE = 1_024
const NOTHING: Counters = { bytes: 0, messages: 0 }

const Page = z.object({
  data: z
    .object({
      now: z.string(),
      total: z.number(),
      connections: z.array(
        z.object({
          cid: z.number(),
          start: z.string(),
          in_bytes: z.number(),
          in_msgs: z.number(),
          authorized_user: z.string().default(''),
        }),
      ),
    })
    // An account without connections is answered with an error.
    .optional(),
})

export function followAccount(
  broker: Broker,
  { serverId, account, sinceMs, onSent }: Options,
): FollowedAccount {
  const known = new Map<number, Counters>()
  let lookedAtMs = sinceMs

  /** What is new of a connection; undefined where nothing says when it was sent. */
  function newOf({ cid, user, startMs, counters: { bytes, messages } }: Connection): Sent | undefined {
    const base = known.get(cid) ?? (startMs > lookedAtMs ? NOTHING : undefined)
    return base && { user, bytes: bytes - base.bytes, messages: messages - base.messages }
  }

  async function readPage(offset: number): Promise<z.output<typeof Page>['data']> {
    const query = { auth: true, acc: account, limit: PAGE, offset, sort: 'cid' }
    const answer = await askServer(broker, serverId, 'CONNZ', query)
    return Page.parse(answer.json()).data
  }

  return {
    untilMs: 0,
    async look() {
      const seen = new Set<number>()
      const sent: Sent[] = []
      let [pages, startedAtMs] = [0, lookedAtMs]
      for (let isMore = true; isMore; pages += 1) {
        const page = await readPage(pages * PAGE)
        if (pages === 0 && page) startedAtMs = Date.parse(page.now)
        // In one go for each page: a connection that ends between two pages must not count twice.
        for (const { cid, start, in_bytes, in_msgs, authorized_user: user } of page?.connections ?? []) {
          const counters = { bytes: in_bytes, messages: in_msgs }
          const its = newOf({ cid, user, startMs: Date.parse(start), counters })
          if (its && its.messages > 0) sent.push(its)
          known.set(cid, counters)
          seen.add(cid)
        }
        isMore = page !== undefined && page.total > (pages + 1) * PAGE
      }
      for (const cid of known.keys()) if (!seen.has(cid)) known.delete(cid)
      lookedAtMs = startedAtMs
      if (sent.length > 0) onSent(sent)
      return pages
    },
    ended(connection) {
      const its = newOf(connection)
      known.delete(connection.cid)
      if (its && its.messages > 0) onSent([its])
    },
  }
}
