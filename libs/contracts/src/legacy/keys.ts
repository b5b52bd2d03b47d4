import { apiKeyRoutes } from '../resources/keys/api-keys.ts'
import type { Route } from '../route.ts'
import { tokenRoutes } from '../resources/keys/tokens.ts'

const legacy = { vocabulary: 'legacy' } as const

/** So that a client needs no other base URL: the rows of the current vocabulary, with the same bodies (D17.1). */
export const legacyKeyRoutes = {
  createLegacyToken: { ...tokenRoutes.createToken, ...legacy },
  getLegacyCurrentOrg: { ...apiKeyRoutes.getCurrentOrg, ...legacy },
  listLegacyApiKeys: { ...apiKeyRoutes.listApiKeys, ...legacy },
  createLegacyApiKey: { ...apiKeyRoutes.createApiKey, ...legacy },
  revokeLegacyApiKey: { ...apiKeyRoutes.revokeApiKey, ...legacy },
} as const satisfies Record<string, Route>
