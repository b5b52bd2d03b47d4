import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export type WayToServer = {
  /** The same address with another port. */
  url: string
  /** The machine of the server disappears: connections carry nothing more and nobody closes them. New ones work. */
  loseMachine(): void
  close(): Promise<void>
}

/** Passes connections on to a server, which can disappear without a word. */
export async function wayTo(server: string): Promise<WayToServer> {
  const url = new URL(server)
  const target = { port: Number(url.port), host: url.hostname }
  const [all, carrying] = [new Set<Socket>(), new Set<Socket>()]
  const way = createServer((near) => {
    const far = connect(target)
    const join = (socket: Socket, other: Socket) => {
      all.add(socket)
      carrying.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
    }
    join(near, far)
    join(far, near)
  })
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
  url.port = String((way.address() as AddressInfo).port)
  return {
    url: url.href,
    loseMachine() {
      for (const socket of carrying) socket.unpipe().resume()
      carrying.clear()
    },
    async close() {
      for (const socket of all) socket.destroy()
      await new Promise((resolve) => way.close(resolve))
    },
  }
}
