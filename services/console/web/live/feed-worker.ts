import { FeedHub } from './feed-hub.ts'
import type { FromPage } from './feed-messages.ts'

/** A shared worker, one for each session in a browser. Its name contains the person and the organization. */
const hub = new FeedHub()
hub.startPings()

addEventListener('connect', (event) => {
  const port = event instanceof MessageEvent ? event.ports[0] : undefined
  port?.addEventListener('message', ({ data }: MessageEvent<FromPage>) => hub.receive(port, data))
  port?.start()
})
