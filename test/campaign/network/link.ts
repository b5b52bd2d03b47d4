import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A TCP connection between two parts of the system that can be disturbed. Only one disturbance holds at a time. */
export type Link = {
  port: number
  /** Resets all connections and refuses new ones. */
  cut(): void
  /** Lets nothing through, in either direction, and closes nothing. New connections are accepted and get no answer. */
  silence(): void
  /**
   * The side that connected is gone, as after a power loss, and the other side is not told: its connections stay open
   * until the link is closed. New connections work.
   */
  loseNear(): void
  /** The same, but the side that was connected to is gone. */
  loseFar(): void
  /** Passes each piece of data this much later. */
  slow(delayMs: number): void
  throttle(bytesPerSecond: number): void
  /** Ends the disturbance; what was held back is passed on. */
  heal(): void
  close(): Promise<void>
}

type State = { refuses: boolean; delayMs: number; bytesPerSecond: number; open: Promise<void> }

const untouched = (): State => ({
  refuses: false,
  delayMs: 0,
  bytesPerSecond: Number.POSITIVE_INFINITY,
  open: Promise.resolve(),
})

/** Listens on a free port of the loopback interface and passes connections on. */
export async function startLink(target: { host: string; port: number }): Promise<Link> {
  const sockets = new Set<Socket>()
  /** The far ends of open connections by their near ends, and ends whose other end is gone. */
  const farEnds = new Map<Socket, Socket>()
  const alone = new WeakSet<Socket>()
  let state = untouched()
  let unlock = () => {}

  const become = (next: Partial<State>) => {
    unlock()
    unlock = () => {}
    state = { ...untouched(), ...next }
  }
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }
  const accept = async (client: Socket) => {
    keep(client)
    await state.open
    if (state.refuses || client.destroyed) {
      client.resetAndDestroy()
      return
    }
    const server = connect({ ...target, allowHalfOpen: true })
    keep(server)
    farEnds.set(client, server)
    client.on('close', () => farEnds.delete(client))
    const leave = (socket: Socket) => (alone.has(socket) ? socket.resume() : socket.destroy())
    const reset = () => [client, server].forEach(leave)
    for (const way of [pump(client, server, () => state), pump(server, client, () => state)]) way.catch(reset)
  }
  const listener = createServer({ allowHalfOpen: true }, (client) => void accept(client))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut() {
      become({ refuses: true })
      for (const socket of sockets) socket.resetAndDestroy()
    },
    silence() {
      const { promise, resolve } = Promise.withResolvers<void>()
      become({ open: promise })
      unlock = resolve
    },
    loseNear() {
      for (const [near, far] of farEnds) {
        alone.add(far)
        near.destroy()
      }
    },
    loseFar() {
      for (const [near, far] of farEnds) {
        alone.add(near)
        far.destroy()
      }
    },
    slow: (delayMs) => become({ delayMs }),
    throttle: (bytesPerSecond) => become({ bytesPerSecond }),
    heal: () => become({}),
    async close() {
      become({ refuses: true })
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Passes on what `from` sends until it ends. Rejects when either side breaks. */
async function pump(from: Socket, to: Socket, state: () => State): Promise<void> {
  for await (const piece of from as AsyncIterable<Buffer>) {
    const { delayMs, bytesPerSecond } = state()
    const lateMs = delayMs + (piece.length / bytesPerSecond) * 1_000
    if (lateMs > 0) await wait(lateMs)
    await state().open
    if (!to.write(piece)) await drained(to)
  }
  await state().open
  to.end()
}

const drained = (socket: Socket) =>
  new Promise<void>((resolve, reject) => {
    socket.once('drain', resolve)
    socket.once('close', () => reject(new Error('the other side has closed')))
  })
