import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * A TCP proxy that breaks connections: `cut` is called for each with its number, from 0, and says after how many bytes towards the
 * server, or back, it ends. Undefined: never.
 */
export async function cuttingProxy(
  target: string,
  cut: (connection: number) => { sent?: number; received?: number } | undefined,
): Promise<{ url: string; connections: () => number; close: () => void }> {
  const { hostname, port } = new URL(target)
  let connections = 0
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const limits = cut(connections) ?? {}
    connections += 1
    const upstream = connect(Number(port), hostname)
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', end).on('close', () => {
        open.delete(socket)
        end()
      })
    }
    passOn(client, upstream, limits.sent, end)
    passOn(upstream, client, limits.received, end)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

/** The bytes before the cut arrive, so that the server may have begun. */
function passOn(from: Socket, to: Socket, limit = Number.POSITIVE_INFINITY, end: () => void): void {
  let left = limit
  from.on('data', (bytes: Buffer) => {
    const part = bytes.subarray(0, Math.max(left, 0))
    left -= bytes.length
    if (left > 0) to.write(part)
    else to.write(part, end)
  })
}
