import { AppError } from '@whereabouts/service-kit/errors/app-error'
import * as oidc from 'openid-client'
import { identityOf, isIncomplete, type Identity } from './claims.rules.ts'
import { SignOnRefusal } from './sign-on-refusal.ts'
import type { SignOnSecrets } from './sign-on-secrets.ts'

export type Provider = {
  /** Where the browser signs in. Throws 503 if the provider does not answer. */
  addressFor(secrets: SignOnSecrets): Promise<URL>
  /** Who came back, from the parameters of the callback. Throws `SignOnRefusal`. */
  identify(parameters: URLSearchParams, secrets: SignOnSecrets): Promise<Identity>
}

export type ProviderOptions = {
  issuer: string
  clientId: string
  clientSecret: string
  groupsClaim: string
  /** Our address to which the provider sends browsers back. */
  callbackUrl: string
  /** Milliseconds since 1970. */
  now: () => number
  /** For all requests of one step together. Less than the gateway waits. */
  timeoutMs?: number
}

const TIMEOUT_MS = 8_000
/** Providers seldom change what they publish about themselves. */
const METADATA_MS = 60 * 60 * 1_000

/** The provider that the operator configured. It is asked for the first time when somebody signs in, not when keys starts. */
export function createProvider(options: ProviderOptions): Provider {
  const { issuer, clientId, clientSecret, groupsClaim, callbackUrl, now, timeoutMs = TIMEOUT_MS } = options
  const server = new URL(issuer)
  const isPlain = server.protocol === 'http:'
  let known: { metadata: oidc.ServerMetadata; until: number } | undefined
  let asking: Promise<oidc.ServerMetadata> | undefined

  async function discover(): Promise<oidc.ServerMetadata> {
    const found = await oidc.discovery(server, clientId, clientSecret, undefined, {
      [oidc.customFetch]: fetchUntil(AbortSignal.timeout(timeoutMs)),
      execute: isPlain ? [oidc.allowInsecureRequests] : [],
    })
    const fresh = found.serverMetadata()
    known = { metadata: fresh, until: now() + METADATA_MS }
    return fresh
  }

  /** Of callers at once, one asks. Old metadata is better than none. */
  async function metadata(): Promise<oidc.ServerMetadata> {
    if (known && now() < known.until) return known.metadata
    asking ??= discover().finally(() => {
      asking = undefined
    })
    const fresh = asking
    return known ? fresh.catch(() => known?.metadata ?? fresh) : fresh
  }

  /** One for each step. So the provider's keys are read again each time, and new ones count at once. */
  function configurationOf(found: oidc.ServerMetadata): oidc.Configuration {
    const methods = found.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const authenticate = methods.includes('client_secret_basic')
      ? oidc.ClientSecretBasic
      : oidc.ClientSecretPost
    const configuration = new oidc.Configuration(found, clientId, clientSecret, authenticate(clientSecret))
    configuration[oidc.customFetch] = fetchUntil(AbortSignal.timeout(timeoutMs))
    oidc.enableNonRepudiationChecks(configuration) // checks the signature of the ID token
    if (isPlain) oidc.allowInsecureRequests(configuration)
    return configuration
  }

  return {
    async addressFor({ state, nonce, verifier }) {
      const found = await metadata().catch((error: unknown) => {
        throw providerUnavailable(error)
      })
      return oidc.buildAuthorizationUrl(configurationOf(found), {
        redirect_uri: callbackUrl,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
    },

    async identify(parameters, { state, nonce, verifier }) {
      try {
        const configuration = configurationOf(await metadata())
        const tokens = await oidc.authorizationCodeGrant(
          configuration,
          new URL(`?${String(parameters)}`, callbackUrl),
          { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
        )
        const idToken = tokens.claims()
        if (!idToken) throw new Error('the provider sent no ID token')
        const asks = configuration.serverMetadata().userinfo_endpoint && isIncomplete(idToken, groupsClaim)
        const userInfo = asks ? await oidc.fetchUserInfo(configuration, tokens.access_token, idToken.sub) : {}
        return identityOf(idToken, userInfo, groupsClaim)
      } catch (error) {
        throw refusalOf(error)
      }
    },
  }
}

const fetchUntil =
  (deadline: AbortSignal): oidc.CustomFetch =>
  (url, { signal, ...init }) =>
    fetch(url, {
      ...init,
      body: init.body ?? null,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })

const providerUnavailable = (cause: unknown) =>
  new AppError(
    'service_unavailable',
    'The sign-on provider does not answer. Try again in a minute. If it stays, ask the operator of this server.',
    { headers: { 'retry-after': '60' }, cause },
  )

function refusalOf(error: unknown): SignOnRefusal {
  if (error instanceof oidc.AuthorizationResponseError) return new SignOnRefusal('refused', error)
  if (error instanceof oidc.ResponseBodyError)
    return new SignOnRefusal(error.error === 'invalid_grant' ? 'expired' : problemOf(error.status), error)
  return new SignOnRefusal(isUnreachable(error) ? 'unavailable' : 'failed', error)
}

const problemOf = (status: number) => (status >= 500 ? 'unavailable' : 'failed')

/** No connection, no answer in time, or not the answer of a provider that is well. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof oidc.ClientError)
    return (
      ['OAUTH_TIMEOUT', 'OAUTH_ABORT'].includes(error.code ?? '') ||
      (error.cause instanceof Response && error.cause.status >= 500)
    )
  return error instanceof TypeError && error.message === 'fetch failed'
}
