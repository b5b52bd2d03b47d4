import type { Feed, FeedOptions } from './feed.ts'
import { runStream } from './movement-stream.ts'

/** A connection of this page alone, for browsers without shared workers: only while the page is visible. */
export function ownFeed({ token, onEvent, lastId }: FeedOptions): Feed {
  let running: AbortController | undefined
  let isWanted = false
  const follow = () => {
    const isVisible = isWanted && document.visibilityState === 'visible'
    if (isVisible && !running) {
      running = new AbortController()
      void runStream({ token, onEvent, signal: running.signal, lastId: lastId() })
    }
    if (!isVisible) {
      running?.abort()
      running = undefined
    }
  }
  document.addEventListener('visibilitychange', follow)
  return {
    open() {
      isWanted = true
      follow()
    },
    close() {
      isWanted = false
      follow()
    },
  }
}
