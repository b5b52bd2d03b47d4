/** A shared worker that lets one page at a time renew the session. */

export type TurnRequest = { type: 'wait'; turn: number } | { type: 'done'; turn: number } | { type: 'gone' }
/** The page may start. */
export type TurnAnswer = { turn: number }

type Turn = { port: MessagePort; turn: number }

/** A page that crashed never says that it is done. */
const LONGEST_MS = 15_000

let queue: Turn[] = []
let current: Turn | undefined
let timer: ReturnType<typeof setTimeout> | undefined

function startNext(): void {
  clearTimeout(timer)
  current = queue.shift()
  if (!current) return
  current.port.postMessage({ turn: current.turn } satisfies TurnAnswer)
  timer = setTimeout(startNext, LONGEST_MS)
}

function receive(port: MessagePort, request: TurnRequest): void {
  const isCurrent = current?.port === port
  if (request.type === 'wait') {
    queue.push({ port, turn: request.turn })
    if (!current) startNext()
  } else if (request.type === 'done') {
    if (isCurrent && current?.turn === request.turn) startNext()
  } else {
    queue = queue.filter((turn) => turn.port !== port)
    if (isCurrent) startNext()
  }
}

addEventListener('connect', (event) => {
  const port = event instanceof MessageEvent ? event.ports[0] : undefined
  port?.addEventListener('message', ({ data }: MessageEvent<TurnRequest>) => receive(port, data))
  port?.start()
})
