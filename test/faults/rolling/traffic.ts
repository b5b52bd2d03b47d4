import { openEvents, type EventStream, type StreamedEvent } from '@whereabouts/testing/event-stream'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Organization } from '../../system/organization.ts'
import { connectReader, type ReaderLink, type Transport } from '../../system/readers.ts'

/** A failure that a client saw: an unexpected status, or no reply. */
type Failure = { what: string; at: string; problem: string }

const REQUESTS = [
  'list assets',
  'report',
  'create asset',
  'create location',
  'list keys',
  'list webhooks',
  'sign in',
  'web app',
  'token',
] as const
const LOGINS = ['login nats', 'login mqtt'] as const
type Kind = (typeof REQUESTS)[number] | (typeof LOGINS)[number]

export type Traffic = {
  failures: Failure[]
  /** Number of expected replies by kind of request, from 0. */
  served: Partial<Record<Kind, number>>
  /** Of every request until its reply or failure, in milliseconds. */
  delays: number[]
  /** External keys of the assets that were created. */
  created: string[]
  /** Values of the tags that the broker has confirmed a scan of. */
  scanned: string[]
  /** Assets whose movement the live feed sent, once for each time. */
  seenLive(): number[]
  /** Stops new requests and scans, and waits for the running ones. The live feed stays open. */
  pause(): Promise<void>
  /** Stops the rest. */
  stop(): Promise<void>
}

type Options = {
  base: string
  org: Organization
  /** Of a session, which has its own bucket. Its requests are slow. */
  adminToken: string
  /** Of a key whose bucket does not become empty. */
  keyToken: string
  /** With `restart`, brokers are restarted: a reader publishes again until one acknowledges, and no reader logs in anew. */
  brokers: { urls: Record<Transport, string>; ca?: string; restart?: boolean }
  /** Values of tags, each on a different asset that was never scanned. The first one names what is created. */
  tags: readonly string[]
}

/** Closes idle connections before a draining replica ends, as a balancer closes those of an unready one. */
const agent = () => new Agent({ keepAliveTimeout: 300, keepAliveMaxTimeout: 300, connections: 32 })

/**
 * Steady traffic of people, programs and readers at a bounded pace: about a hundred requests and twenty scans a second,
 * sign-ins of a person, logins of readers, and a client of the live feed.
 */
export function startTraffic(options: Options): Traffic {
  const dispatcher = agent()
  const kinds: readonly Kind[] = options.brokers.restart ? REQUESTS : [...REQUESTS, ...LOGINS]
  const traffic = {
    failures: [] as Failure[],
    served: Object.fromEntries(kinds.map((kind) => [kind, 0])) as Traffic['served'],
    delays: [] as number[],
    stopping: false,
  }
  const [created, scanned]: [string[], string[]] = [[], []]

  /** Resolves with whether the reply was the expected one. */
  async function ask(what: Kind, status: number, path: string, sent: Sent = {}): Promise<boolean> {
    const [at, startedAt] = [new Date().toISOString(), performance.now()]
    const { token = options.adminToken, body } = sent
    let isServed = false
    const headers = {
      'user-agent': 'rolling/1',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    }
    try {
      const url = `${options.base}${path}`
      const rest = body ? { method: 'POST' as const, body: JSON.stringify(body) } : {}
      const reply = await request(url, { headers, dispatcher, ...rest })
      const text = await reply.body.text()
      isServed = reply.statusCode === status
      if (isServed) traffic.served[what] = (traffic.served[what] ?? 0) + 1
      else traffic.failures.push({ what, at, problem: `${reply.statusCode} ${text}` })
    } catch (error) {
      traffic.failures.push({ what, at, problem: String(error) })
    }
    traffic.delays.push(performance.now() - startedAt)
    return isServed
  }

  /** Repeats `work`, at most once every `everyMs`. */
  async function repeat(everyMs: number, work: (round: number) => Promise<unknown>): Promise<void> {
    for (let round = 0; !traffic.stopping; round += 1) await Promise.all([work(round), wait(everyMs)])
  }

  const key = options.org.readerKey
  const asReader = (transport: Transport) => connectReader(options.brokers, key, transport)
  const publish = async (link: ReaderLink, tag: string) => {
    const reads = [{ tag: { type: 'barcode', value: tag }, antenna: 1 }]
    const send = () =>
      link.publish(options.org.id, 'gate', 'canonical', Buffer.from(JSON.stringify({ reads })))
    await (options.brokers.restart ? untilDone(send) : send())
    scanned.push(tag)
  }

  async function scans(link: Promise<ReaderLink>, tags: readonly string[]): Promise<void> {
    const [reader] = await Promise.all([link, listening])
    await repeat(100, async (round) => {
      const tag = tags[round]
      if (tag !== undefined) await publish(reader, tag)
    })
    await reader.close()
  }

  async function logins(transport: Transport): Promise<void> {
    await repeat(500, async () => {
      const at = new Date().toISOString()
      try {
        await (await asReader(transport)).close()
        traffic.served[`login ${transport}`] = (traffic.served[`login ${transport}`] ?? 0) + 1
      } catch (error) {
        traffic.failures.push({ what: `login ${transport}`, at, problem: String(error) })
      }
    })
  }

  let feed: EventStream | undefined
  const before: StreamedEvent[] = []
  /** Reads the live feed like a browser: when the stream ends, it reconnects with the last id. */
  async function watch(): Promise<void> {
    let lastId = ''
    while (!hasSeenAll.signal.aborted) {
      const headers = {
        authorization: `Bearer ${options.adminToken}`,
        'user-agent': 'rolling/1',
        ...(lastId !== '' && { 'last-event-id': lastId }),
      }
      const url = `${options.base}/api/v1/movements/live`
      feed = await openEvents(url, headers).catch(() => undefined)
      if (feed?.status === 200) await feed.ended
      lastId = feed?.lastId() || lastId
      before.push(...(feed?.events ?? []))
      feed = undefined
      await wait(100) // a browser waits, too
    }
  }
  const hasSeenAll = new AbortController()
  const watching = watch()
  /** From then on no movement is missed, even if the stream ends. */
  const listening = (async () => {
    while (!feed?.lastId()) await wait(10)
  })()

  const [own] = options.tags
  const half = Math.ceil(options.tags.length / 2)
  const running = [
    repeat(20, () => ask('list assets', 200, '/api/v1/assets?limit=10', { token: options.keyToken })),
    repeat(20, () =>
      ask('report', 200, '/api/v1/reports/asset-locations?limit=10', { token: options.keyToken }),
    ),
    repeat(200, async (round) => {
      const external_key = `NEW-${own}-${round}`
      const isMade = await ask('create asset', 201, '/api/v1/assets', {
        body: { name: external_key, external_key },
      })
      if (isMade) created.push(external_key)
    }),
    repeat(200, (round) =>
      ask('create location', 201, '/api/v1/locations', { body: { name: `Shelf ${own}-${round}` } }),
    ),
    repeat(1_000, () => ask('list keys', 200, `/api/v1/orgs/${options.org.id}/api-keys`)),
    repeat(1_000, () => ask('list webhooks', 200, '/api/v1/webhooks')),
    repeat(4_000, () => ask('sign in', 200, '/api/v1/auth/login', { token: '', body: options.org.login })),
    repeat(300, () => ask('web app', 200, '/', { token: '' })),
    // One key may exchange its credentials once a second.
    repeat(1_100, () =>
      ask('token', 200, '/api/v1/oauth/token', {
        token: '',
        body: { grant_type: 'client_credentials', client_id: key.clientId, client_secret: key.clientSecret },
      }),
    ),
    scans(asReader('nats'), options.tags.slice(0, half)),
    scans(asReader('mqtt'), options.tags.slice(half)),
    ...(options.brokers.restart ? [] : [logins('nats'), logins('mqtt')]),
  ]
  return {
    failures: traffic.failures,
    served: traffic.served,
    delays: traffic.delays,
    created,
    scanned,
    seenLive: () =>
      [...before, ...(feed?.events ?? [])].map(({ data }) => (JSON.parse(data) as Movement).asset.id),
    async pause() {
      traffic.stopping = true
      await Promise.all(running)
    },
    async stop() {
      hasSeenAll.abort()
      feed?.close()
      await Promise.all([watching, dispatcher.close()])
    },
  }
}

/** Repeats `work` until it succeeds. */
async function untilDone(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const failed = await work().then(
      () => false,
      () => true,
    )
    if (!failed) return
    await wait(200)
  }
}

type Sent = { token?: string; body?: object }
type Movement = { asset: { id: number } }
