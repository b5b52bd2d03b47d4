import type { TurnAnswer, TurnRequest } from './turn-worker.ts'

const LOCK = 'whereabouts-session'

/**
 * One tab at a time renews the session, because a refresh token can be used only once. Browsers have locks only over
 * HTTPS and on localhost; elsewhere a shared worker gives turns. Without either (some phones over plain HTTP), two
 * tabs that renew at the same moment end the session.
 */
export function oneTabAtATime<T>(work: () => Promise<T>): Promise<T> {
  if (isSecureContext) return navigator.locks.request(LOCK, work)
  return 'SharedWorker' in globalThis ? inTurn(work) : work()
}

let port: MessagePort | undefined
let isBroken = false
let turns = 0
const waiting = new Map<number, () => void>()

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  turns += 1
  const turn = turns
  await new Promise<void>((resolve) => {
    waiting.set(turn, resolve)
    ask(turn)
  })
  try {
    return await work()
  } finally {
    send({ type: 'done', turn })
  }
}

function ask(turn: number): void {
  port ??= connect()
  send({ type: 'wait', turn })
  if (isBroken) start(turn)
}

function start(turn: number): void {
  waiting.get(turn)?.()
  waiting.delete(turn)
}

const send = (request: TurnRequest) => port?.postMessage(request)

function connect(): MessagePort {
  const worker = new SharedWorker(new URL('./turn-worker.ts', import.meta.url), { name: LOCK })
  worker.addEventListener('error', () => {
    isBroken = true
    for (const turn of waiting.keys()) start(turn)
  })
  worker.port.addEventListener('message', ({ data }: MessageEvent<TurnAnswer>) => start(data.turn))
  worker.port.start()
  // A page that is kept by the browser does not answer: it would hold up the others.
  addEventListener('pagehide', () => send({ type: 'gone' }))
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) for (const turn of waiting.keys()) ask(turn)
  })
  return worker.port
}
