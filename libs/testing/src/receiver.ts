import { createServer, type Server } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { generate } from 'selfsigned'

export type Received = { path: string; headers: Record<string, string>; body: Buffer; receivedAt: number }

/** Answers a delivery. The default is an empty 204. */
export type Responder = (request: Received, response: ServerResponse) => void | Promise<void>

export type Receiver = {
  /** `https://127.0.0.1:<port>/hook` */
  url: string
  /** The certificate authority to trust, as PEM. */
  ca: string
  /** All received requests, oldest first. */
  received: Received[]
  respondWith(responder: Responder): void
  close(): Promise<void>
}

/** A webhook endpoint with real TLS on loopback and a new certificate. */
export async function startReceiver(): Promise<Receiver> {
  const certificate = await selfSigned()
  const received: Received[] = []
  let respond: Responder = (_request, response) => void response.writeHead(204).end()
  const server = createServer({ key: certificate.private, cert: certificate.cert }, (request, response) => {
    void take(request).then((delivery) => {
      received.push(delivery)
      return respond(delivery, response)
    })
  })
  const port = await listen(server)
  return {
    url: `https://127.0.0.1:${port}/hook`,
    ca: certificate.cert,
    received,
    respondWith: (responder) => {
      respond = responder
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function selfSigned() {
  const extensions = [
    { name: 'basicConstraints', cA: true },
    {
      name: 'subjectAltName',
      altNames: [
        { type: 2, value: 'localhost' },
        { type: 7, ip: '127.0.0.1' },
      ],
    },
  ] as const
  return generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: structuredClone(extensions) as never,
  })
}

async function take(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([k, v]) => [k, String(v)]))
  return { path: request.url ?? '', headers, body: Buffer.concat(chunks), receivedAt: Date.now() }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}
