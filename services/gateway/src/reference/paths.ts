import { LEGACY_BASE } from '@whereabouts/contracts/routes'
import { JWKS_PATH } from '@whereabouts/contracts/resources/keys/token-claims'

/** Paths of a vocabulary's description, below its base URL. */
export const referencePaths = (base: string) => ({
  page: `${base}/api`,
  json: `${base}/api/openapi.json`,
  yaml: `${base}/api/openapi.yaml`,
  /** Old addresses and their targets. */
  redirects: {
    [`${base}/openapi.json`]: `${base}/api/openapi.json`,
    [`${base}/openapi.yaml`]: `${base}/api/openapi.yaml`,
  },
})

/** Paths of the description of messages (AsyncAPI). There is one: readers and webhooks know no vocabulary. */
export const messagePaths = { json: '/api/asyncapi.json', yaml: '/api/asyncapi.yaml' }

/** Path of the script of the interactive pages. It contains the digest, so it can be cached for ever. */
export const scriptPath = (digest: string): string => `/api/reference/scalar.${digest}.js`
const SCRIPT = /^\/api\/reference\/scalar\.[\w-]+\.js$/

const fixed = new Set([
  JWKS_PATH,
  ...Object.values(messagePaths),
  ...['', LEGACY_BASE].flatMap((base) => {
    const { page, json, yaml, redirects } = referencePaths(base)
    return [[page, json, yaml], Object.keys(redirects)].flat()
  }),
])

/** Whether GET and HEAD of a path need no token and no row of the route table. */
export const isReferencePath = (path: string): boolean => fixed.has(path) || SCRIPT.test(path)
