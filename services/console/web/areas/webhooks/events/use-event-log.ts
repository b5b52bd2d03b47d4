import { useEffect, useRef, useState } from 'react'
import { api } from '../../../session/api.ts'
import type { FeedType } from '../webhooks/event-types.ts'
import { type EventLog, eventFollower, NOTHING } from './event-log.ts'

/** Seconds for which the API holds an answer without events back. */
const WAIT_S = 25
const PAGE = 500

/** What happens from now on, while the page is visible. Shown again, it reads what happened meanwhile. */
export function useEventLog(type: string): EventLog & { retry: () => void } {
  const [log, setLog] = useState(NOTHING)
  const retry = useRef(() => {})
  useEffect(() => {
    const run = eventFollower({
      read: async (after, signal) => {
        const wait = after === 'now' ? 0 : WAIT_S
        const query = { after, wait, limit: PAGE, ...(type !== '' && { type: [type as FeedType] }) }
        return api.page('/api/v1/events', { query, signal })
      },
      onChange: setLog,
    })
    let running: AbortController | undefined
    const follow = () => {
      running?.abort()
      running = new AbortController()
      if (document.visibilityState === 'visible') void run(running.signal)
    }
    retry.current = follow
    follow()
    document.addEventListener('visibilitychange', follow)
    addEventListener('online', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      removeEventListener('online', follow)
      running?.abort()
    }
  }, [type])
  return { ...log, retry: () => retry.current() }
}
