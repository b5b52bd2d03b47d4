import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { keyIdOf } from '../ingest/warehouse.ts'
import { KEY_SECRET } from './reader-keys.ts'
import type { FloodJob, Flooded } from './flood-process.ts'

export type Flood = {
  name: string
  org: number
  /** How many organizations flood at once, with numbers from `org` on. 1 when left out. */
  organizations?: number
  /** Keys of each organization. Each has a connection of its own. */
  keys: number
  /** Of each organization. */
  messagesPerSecond: number
  reads: number
  /** Size of a message, by padding. Default: the size of its reads. */
  bytes?: number
  /** Each read is of a minute for which its asset has no row, so that nothing is thinned. */
  isNew?: boolean
}

const SIZE_LIMIT = 256 * 1024
/** Limit of the format for one message. */
const READS_LIMIT = 1_000

/** Floods that others must hardly notice, each of a different organization. */
export const floods: readonly Flood[] = [
  { name: '50 000 reads/s, 250 a message', org: 201, keys: 2, messagesPerSecond: 200, reads: 250 },
  { name: '50 000 new rows/s, 250 a message', org: 205, keys: 2, messagesPerSecond: 200, reads: 250, isNew: true },
  { name: '256 KiB messages, one key', org: 202, keys: 1, messagesPerSecond: 200, reads: READS_LIMIT, bytes: SIZE_LIMIT },
  { name: '256 KiB messages, ten keys', org: 203, keys: 10, messagesPerSecond: 2_000, reads: READS_LIMIT, bytes: SIZE_LIMIT },
  { name: '50 000 new rows/s of each of three', org: 210, organizations: 3, keys: 2, messagesPerSecond: 200, reads: 250, isNew: true },
  { name: '6.5 MB/s of each of three', org: 220, organizations: 3, keys: 1, messagesPerSecond: 25, reads: READS_LIMIT, bytes: SIZE_LIMIT, isNew: true },
  { name: 'tiny messages, 250 keys', org: 204, keys: 250, messagesPerSecond: 20_000, reads: 0 },
] // oxfmt-ignore

/** The numbers of the organizations that flood. */
export const orgsOf = ({ org, organizations = 1 }: Pick<Flood, 'org' | 'organizations'>): number[] =>
  Array.from({ length: organizations }, (_, n) => org + n)

/** Starts a separate process that floods until it is stopped. */
export async function startFlood(stack: Stack, flood: Flood, assetsPerOrg: number) {
  const job: FloodJob = {
    ...flood,
    url: stack.urls.nats,
    keys: orgsOf(flood).flatMap((org) =>
      Array.from({ length: flood.keys }, (_, n) => ({ org, clientId: keyIdOf(org, n + 1) })),
    ),
    clientSecret: KEY_SECRET,
    assetsPerOrg,
  }
  const child = fork(new URL('flood-process.ts', import.meta.url), [JSON.stringify(job)])
  await once(child, 'message')
  return {
    /** Stops it. Resolves with the sent messages. */
    async stop(): Promise<Flooded> {
      const reply = once(child, 'message')
      child.send('stop')
      const [flooded] = (await reply) as [Flooded]
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
      return flooded
    },
  }
}
