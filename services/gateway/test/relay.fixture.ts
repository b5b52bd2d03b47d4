import { connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP relay that a test can cut and restore. */
export type Relay = { port: number; cut(): Promise<void>; restore(): Promise<void> }

export async function startRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>()
  const make = () =>
    createServer((incoming) => {
      const outgoing = connect(targetPort, '127.0.0.1')
      for (const socket of [incoming, outgoing]) {
        sockets.add(socket)
        socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
      }
      incoming.pipe(outgoing).pipe(incoming)
    })
  let server = make()
  const port = await listen(server, 0)
  return {
    port,
    async cut() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
    async restore() {
      server = make()
      await listen(server, port)
    },
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
