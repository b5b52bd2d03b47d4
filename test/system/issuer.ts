import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy for the service `keys` that publishes one more signing key, for tokens that tests sign. */
export type IssuerInTheMiddle = {
  url: string
  kid: string
  privateKey: KeyObject
  /** The raw public key, as any client can read it. */
  publicKey: Buffer
  stop(): Promise<void>
}

const JWKS = '/.well-known/jwks.json'

/** `keysUrl` is the address of the service itself. */
export async function startIssuer(keysUrl: string): Promise<IssuerInTheMiddle> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const own = { kty: 'OKP', crv: 'Ed25519', x, kid: 'of-the-test', use: 'sig', alg: 'EdDSA' }

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // By this, `keys` recognizes a gateway.
    const credential = request.headers[PRINCIPAL_HEADER]
    const headers = typeof credential === 'string' ? { [PRINCIPAL_HEADER]: credential } : {}
    const real = await fetch(`${keysUrl}${request.url}`, { headers })
    const body = await real.text()
    response.writeHead(real.status, { 'content-type': 'application/json' })
    response.end(request.url === JWKS ? withKey(body, own) : body)
  }

  const server = createServer((request, response) => void reply(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    kid: own.kid,
    privateKey,
    publicKey: Buffer.from(x, 'base64url'),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function withKey(body: string, key: object): string {
  const { keys } = JSON.parse(body) as { keys: object[] }
  return JSON.stringify({ keys: [...keys, key] })
}
