import { routePath, routes } from '@whereabouts/contracts/routes'
import type { Config } from '../../config.ts'
import { createProvider } from './provider.ts'
import type { SignOn } from './single-sign-on.handlers.ts'

/** Undefined without a provider. */
export function signOnOf(config: Config): SignOn | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined
  return {
    provider: createProvider({
      issuer,
      clientId,
      clientSecret,
      groupsClaim: config.OIDC_GROUPS_CLAIM,
      callbackUrl: new URL(routePath(routes.finishSignOn), config.PUBLIC_URL).href,
      now: Date.now,
    }),
    roles: config.OIDC_ROLES ?? [],
    isRequired: config.OIDC_REQUIRED,
    publicUrl: config.PUBLIC_URL,
  }
}
