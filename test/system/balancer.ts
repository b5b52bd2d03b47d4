import { connect, createServer, type Socket } from 'node:net'

/** The addresses of a replica, for requests and for its readiness. */
type Target = { api: string; ops: string }

export type Balancer = {
  url: string
  /** Sends connections there as long as it is ready. */
  add(target: Target): void
  /** How many of the targets are ready. */
  readonly readyCount: number
  close(): Promise<void>
}

const POLL_MS = 100
/**
 * As the probe of Kubernetes (k8s/components/service/deployment.yaml). A gateway takes a second for `/readyz` while its
 * database is slow. With less patience, none was ready on a busy machine, and new connections were closed.
 */
const PROBE = { timeoutMs: 3_000, failures: 2 }

/**
 * Spreads connections over the ready replicas like a Service of Kubernetes: by TCP connection, with the readiness of
 * the last poll, and without a retry.
 */
export async function startBalancer(): Promise<Balancer> {
  const targets: (Target & { failures: number })[] = []
  const sockets = new Set<Socket>()
  let turn = 0

  const looks = setInterval(() => {
    for (const target of targets)
      void isReady(target).then((ready) => (target.failures = ready ? 0 : target.failures + 1))
  }, POLL_MS)

  const server = createServer((client) => {
    const ready = targets.filter(counts)
    turn += 1
    const target = ready[turn % ready.length]
    if (!target) {
      client.destroy()
      return
    }
    const { hostname, port } = new URL(target.api)
    const replica = connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, replica],
      [replica, client],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    add: (target) => void targets.push({ ...target, failures: PROBE.failures }),
    get readyCount() {
      return targets.filter(counts).length
    },
    async close() {
      clearInterval(looks)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const counts = ({ failures }: { failures: number }) => failures < PROBE.failures

const isReady = ({ ops }: Target): Promise<boolean> =>
  fetch(`${ops}/readyz`, { signal: AbortSignal.timeout(PROBE.timeoutMs) }).then(
    async (reply) => {
      await reply.arrayBuffer()
      return reply.ok
    },
    () => false,
  )
