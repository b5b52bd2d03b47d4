import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What the provider says of a person. */
type Claims = { sub: string; email?: string; email_verified?: boolean }

/** An OpenID Connect provider at which nobody types anything: it says at once who came. */
export type TestProvider = {
  /** Of the service `keys`. */
  env: Record<string, string>
  /** Who comes from now on; undefined: somebody whom the provider does not let in. */
  comes: (person: Claims | undefined) => void
  stop: () => Promise<void>
}

const CLIENT = { id: 'whereabouts', secret: 'a-secret-of-the-provider' }
const KID = 'of-the-test'

export async function startProvider(): Promise<TestProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: KID, use: 'sig', alg: 'RS256' }
  const asked = new Map<string, { nonce: string | null; person: Claims }>()
  let person: Claims | undefined

  /** Sends the browser back. */
  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const back = new URL(query.get('redirect_uri') ?? '')
    back.searchParams.set('state', query.get('state') ?? '')
    if (person) {
      const code = randomUUID()
      asked.set(code, { nonce: query.get('nonce'), person })
      back.searchParams.set('code', code)
    } else back.searchParams.set('error', 'access_denied')
    response.writeHead(302, { location: back.href }).end()
  }

  async function tokens(request: IncomingMessage): Promise<object> {
    const code = new URLSearchParams(await text(request)).get('code') ?? ''
    const found = asked.get(code)
    if (!found) throw new Error('a code that this provider did not give')
    asked.delete(code)
    const iat = Math.floor(Date.now() / 1_000)
    const claims = { ...found.person, nonce: found.nonce, iss: issuer, aud: CLIENT.id, iat, exp: iat + 60 }
    const body = [{ alg: 'RS256', kid: KID }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = createSign('RSA-SHA256').update(body).sign(privateKey, 'base64url')
    return { access_token: randomUUID(), token_type: 'Bearer', id_token: `${body}.${signature}` }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    if (pathname === '/authorize') return authorize(searchParams, response)
    const body =
      pathname === '/token'
        ? await tokens(request)
        : pathname === '/jwks'
          ? { keys: [jwk] }
          : metadata(issuer)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
    comes: (next) => {
      person = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic'],
})
