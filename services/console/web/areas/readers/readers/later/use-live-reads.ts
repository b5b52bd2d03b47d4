import { useEffect, useState } from 'react'
import { runStream } from '../../../../live/event-stream.ts'
import { accessToken } from '../../../../session/session.ts'
import type { DecodedRead, ReaderMessage } from '../problems/use-reader-messages.ts'

type Read = DecodedRead & { received_at: string }

/** A tag at an antenna, as it was read last. */
export type SeenTag = Read & { name: string; reads: number }

export type Seen = {
  /** The newest tag first. A tag keeps its place while it is read again, so that people can follow it. */
  tags: SeenTag[]
  problems: ReaderMessage['problems']
  /** Reads and messages that are not shown, because there were too many. */
  omitted: number
}

export const NOTHING: Seen = { tags: [], problems: [], omitted: 0 }

const MOST_TAGS = 50

/** `seen` with one more event of the stream. */
export function withEvent(seen: Seen, event: string, data: unknown): Seen {
  if (event === 'problem') return { ...seen, problems: (data as ReaderMessage).problems }
  if (event === 'omitted') {
    const { reads, messages } = data as { reads: number; messages: number }
    return { ...seen, omitted: seen.omitted + reads + messages }
  }
  if (event !== 'read') return seen
  const read = data as Read
  const name = `${read.antenna} ${read.tag.tag_type} ${read.tag.value}`
  const known = seen.tags.find((tag) => tag.name === name)
  const tag = { ...read, name, reads: (known?.reads ?? 0) + 1 }
  const tags = known
    ? seen.tags.map((one) => (one === known ? tag : one))
    : [tag, ...seen.tags].slice(0, MOST_TAGS)
  return { ...seen, tags }
}

/** What the reader sends, while the page is visible. */
export function useLiveReads(readerId: number): Seen {
  const [seen, setSeen] = useState(NOTHING)
  useEffect(() => {
    let running: AbortController | undefined
    const follow = () => {
      running?.abort()
      running = undefined
      if (document.visibilityState !== 'visible') return
      running = new AbortController()
      void runStream({
        path: `/api/v1/readers/${readerId}/reads`,
        token: accessToken,
        lastId: () => '', // nothing is repeated
        onId: () => undefined,
        onEvent: (event, data) => setSeen((before) => withEvent(before, event, data)),
        onStatus: () => undefined,
        signal: running.signal,
      })
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      running?.abort()
    }
  }, [readerId])
  return seen
}
