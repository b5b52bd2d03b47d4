import { once } from 'node:events'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Certificate } from '@whereabouts/testing/certificates'

export type ScriptedReceiver = {
  /** `https://127.0.0.1:<port>/hook` */
  url: string
  port: number
  connections: number
  /** Everything that came over all connections, decrypted. */
  received: string
  close(): Promise<void>
}

/** What a receiver does with a connection; with TLS, after the handshake. */
export type Script = (socket: Socket) => void

/** Starts a receiver that runs `script` on each connection. Without a certificate, it does not use TLS. */
export async function startScripted(script: Script, certificate?: Certificate): Promise<ScriptedReceiver> {
  const sockets = new Set<Socket>()
  const receiver = {
    url: '',
    port: 0,
    connections: 0,
    received: '',
    close: () => closeServer(server, sockets),
  }
  const onSocket = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // the other side may close the connection at any moment
    script(socket)
  }
  const listen = (socket: Socket) => {
    socket.on('data', (bytes: Buffer) => (receiver.received += bytes.toString('latin1')))
    onSocket(socket)
  }
  const server = certificate ? createTlsServer(certificate, listen) : createTcpServer(listen)
  server.on('connection', (socket: Socket) => {
    receiver.connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.port = (server.address() as AddressInfo).port
  receiver.url = `https://127.0.0.1:${receiver.port}/hook`
  return receiver
}

function closeServer(server: Server, sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy()
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

/** Sends these bytes when the request begins to arrive, and leaves the connection open. */
export const sending =
  (bytes: string): Script =>
  (socket) =>
    void socket.once('data', () => socket.write(bytes, 'latin1'))

/** Sends these bytes when the request begins to arrive, and closes the connection. */
export const sendingThenClosing =
  (bytes: string): Script =>
  (socket) =>
    void socket.once('data', () => socket.end(bytes, 'latin1'))

/** Sends `beginning`, then `again` every `everyMs` until the other side closes the connection. */
export const dripping =
  (beginning: string, again: string, everyMs = 5): Script =>
  (socket) =>
    void socket.once('data', () => {
      socket.write(beginning, 'latin1')
      const timer = setInterval(() => socket.write(again, 'latin1'), everyMs)
      socket.once('close', () => clearInterval(timer))
    })

/** Sends `beginning`, then `again` as fast as the other side reads. */
export const flooding =
  (beginning: string, again: string): Script =>
  (socket) =>
    void socket.once('data', () => {
      socket.write(beginning, 'latin1')
      const more = () => {
        while (!socket.destroyed && socket.write(again, 'latin1'));
      }
      socket.on('drain', more)
      more()
    })
