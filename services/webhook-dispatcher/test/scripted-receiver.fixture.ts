import { once } from 'node:events'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Certificate } from '@whereabouts/testing/certificates'

export type ScriptedReceiver = {
  /** `https://127.0.0.1:<port>/hook` */
  url: string
  port: number
  /** Connections so far, and everything that came over them, decrypted. */
  connections: number
  heard: string
  close(): Promise<void>
}

/** What a receiver does with a connection; over TLS, once the handshake is over. */
export type Script = (socket: Socket) => void

/** A receiver that does what it is told, byte by byte. Without a certificate it speaks no TLS. */
export async function startScripted(script: Script, certificate?: Certificate): Promise<ScriptedReceiver> {
  const sockets = new Set<Socket>()
  const receiver = { url: '', port: 0, connections: 0, heard: '', close: () => closeServer(server, sockets) }
  const onSocket = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // the other side may leave at any moment
    script(socket)
  }
  const listen = (socket: Socket) => {
    socket.on('data', (bytes: Buffer) => (receiver.heard += bytes.toString('latin1')))
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

/** Answers with these bytes once the request has begun to arrive, and leaves the connection open. */
export const answering =
  (bytes: string): Script =>
  (socket) =>
    void socket.once('data', () => socket.write(bytes, 'latin1'))

/** Answers, then closes the connection. */
export const answeringOnce =
  (bytes: string): Script =>
  (socket) =>
    void socket.once('data', () => socket.end(bytes, 'latin1'))

/** Answers with the beginning, then with the same bytes again and again until the other side is gone. */
export const dripping =
  (beginning: string, again: string, everyMs = 5): Script =>
  (socket) =>
    void socket.once('data', () => {
      socket.write(beginning, 'latin1')
      const timer = setInterval(() => socket.write(again, 'latin1'), everyMs)
      socket.once('close', () => clearInterval(timer))
    })

/** As fast as the other side takes it. */
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
