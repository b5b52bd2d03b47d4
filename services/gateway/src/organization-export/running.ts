import { AppError } from '@whereabouts/service-kit/errors/app-error'

/** Of all organizations together: each takes up to half a core for compression. */
const MOST = 2
const RETRY_SECONDS = 30

const refused = (detail: string) =>
  new AppError('rate_limited', detail, { headers: { 'retry-after': String(RETRY_SECONDS) } })

/** The exports that this gateway makes. Each gateway counts for itself. */
export function runningExports() {
  const organizations = new Set<number>()
  return {
    /** Returns what to call at its end. Throws 429. */
    begin(orgId: number): () => void {
      if (organizations.has(orgId))
        throw refused('An export of this organization is running. Start another one when it has ended')
      if (organizations.size >= MOST)
        throw refused('Other organizations are being exported. Try again in a few minutes')
      organizations.add(orgId)
      return () => void organizations.delete(orgId)
    },
  }
}
