import { z } from 'zod'
import { askServer } from '../connect/ask-servers.ts'
import type { Broker } from '../connect/connection.ts'

/** How much a broker user sent to one broker since the last sample of its connections. */
export type Sent = { user: string; bytes: number; messages: number }

/** How much a connection sent since it was opened. */
type Counters = { bytes: number; messages: number }
type Connection = { cid: number; user: string; startMs: number; counters: Counters }

/** The connections of one account at one broker, sampled repeatedly. */
export type FollowedAccount = {
  /** When to stop sampling, by `performance.now()`. */
  untilMs: number
  /**
   * Reports what was sent since the last sample. Resolves with the number of pages read; throws if the broker does not
   * answer.
   */
  sample(): Promise<number>
  /** A connection has ended with these totals. Reports what it sent since the last sample. */
  ended(connection: Connection): void
}

type Options = {
  serverId: string
  account: string
  /** A time of the broker's clock, in milliseconds since 1970. Connections opened later count from their start. */
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
    // The broker answers with an error if the account has no connections.
    .optional(),
})

export function followAccount(
  broker: Broker,
  { serverId, account, sinceMs, onSent }: Options,
): FollowedAccount {
  const known = new Map<number, Counters>()
  let sampledAtMs = sinceMs

  /** What a connection sent since the last sample; undefined if nothing says when it was sent. */
  function newOf({ cid, user, startMs, counters: { bytes, messages } }: Connection): Sent | undefined {
    const base = known.get(cid) ?? (startMs > sampledAtMs ? NOTHING : undefined)
    return base && { user, bytes: bytes - base.bytes, messages: messages - base.messages }
  }

  async function readPage(offset: number): Promise<z.output<typeof Page>['data']> {
    const query = { auth: true, acc: account, limit: PAGE, offset, sort: 'cid' }
    const answer = await askServer(broker, serverId, 'CONNZ', query)
    return Page.parse(answer.json()).data
  }

  return {
    untilMs: 0,
    async sample() {
      const seen = new Set<number>()
      const sent: Sent[] = []
      let [pages, startedAtMs] = [0, sampledAtMs]
      for (let isMore = true; isMore; pages += 1) {
        const page = await readPage(pages * PAGE)
        if (pages === 0 && page) startedAtMs = Date.parse(page.now)
        // Without an await within a page: a connection that ends between two pages must not count twice.
        for (const { cid, start, in_bytes, in_msgs, authorized_user: user } of page?.connections ?? []) {
          const counters = { bytes: in_bytes, messages: in_msgs }
          const recent = newOf({ cid, user, startMs: Date.parse(start), counters })
          if (recent && recent.messages > 0) sent.push(recent)
          known.set(cid, counters)
          seen.add(cid)
        }
        isMore = page !== undefined && page.total > (pages + 1) * PAGE
      }
      for (const cid of known.keys()) if (!seen.has(cid)) known.delete(cid)
      sampledAtMs = startedAtMs
      if (sent.length > 0) onSent(sent)
      return pages
    },
    ended(connection) {
      const recent = newOf(connection)
      known.delete(connection.cid)
      if (recent && recent.messages > 0) onSent([recent])
    },
  }
}
