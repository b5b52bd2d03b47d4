import { LEGACY_BASE } from '@whereabouts/contracts/routes'
import { JWKS_PATH } from '@whereabouts/contracts/token-claims'

/** Where a vocabulary is described, below its own base URL. */
export const referencePaths = (base: string) => ({
  page: `${base}/api`,
  json: `${base}/api/openapi.json`,
  yaml: `${base}/api/openapi.yaml`,
  /** Bare addresses, and where they lead. */
  redirects: {
    [`${base}/openapi.json`]: `${base}/api/openapi.json`,
    [`${base}/openapi.yaml`]: `${base}/api/openapi.yaml`,
  },
})

/** Of the script of the interactive pages; `digest` changes with its content, so it may be kept for ever. */
export const scriptPath = (digest: string): string => `/api/reference/scalar.${digest}.js`
const SCRIPT = /^\/api\/reference\/scalar\.[\w-]+\.js$/

const fixed = new Set([
  JWKS_PATH,
  ...['', LEGACY_BASE].flatMap((base) => {
    const { page, json, yaml, redirects } = referencePaths(base)
    return [[page, json, yaml], Object.keys(redirects)].flat()
  }),
])

/** What is served to anyone by GET and HEAD, beside the route table. */
export const isReferencePath = (path: string): boolean => fixed.has(path) || SCRIPT.test(path)
