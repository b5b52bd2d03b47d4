import type { Handlers } from '@whereabouts/service-kit/http/serve'

type Keys = Handlers<'keys'>
type Current = Pick<Keys, 'createToken' | 'getCurrentOrg' | 'listApiKeys' | 'createApiKey' | 'revokeApiKey'>
type Legacy = Pick<
  Keys,
  | 'createLegacyToken'
  | 'getLegacyCurrentOrg'
  | 'listLegacyApiKeys'
  | 'createLegacyApiKey'
  | 'revokeLegacyApiKey'
>

/** The same handlers below the legacy base URL, where the bodies are those of the current vocabulary (D17.1). */
export const legacyKeyHandlers = (current: Current): Legacy => ({
  createLegacyToken: (context) => current.createToken({ ...context }),
  getLegacyCurrentOrg: (context) => current.getCurrentOrg({ ...context }),
  listLegacyApiKeys: (context) => current.listApiKeys({ ...context }),
  createLegacyApiKey: (context) => current.createApiKey({ ...context }),
  revokeLegacyApiKey: (context) => current.revokeApiKey({ ...context }),
})
