import { API_PREFIX, LEGACY_BASE, LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import { AppError } from '@whereabouts/service-kit/errors/app-error'

const isAtOrBelow = (path: string, base: string) => path === base || path.startsWith(`${base}/`)

/** The rules below the second base URL, which serves the legacy vocabulary (D1.2). */
export type Legacy = {
  /** Headers of every response to this path; none for paths of the current vocabulary. */
  headersOf(path: string): Readonly<Record<string, string>>
  /** The 410 of a path that has been withdrawn. */
  withdrawn(path: string): AppError | undefined
}

/** Deprecated from the start, and withdrawn at `sunset`, if it is set. */
export function legacy(sunset: Date | undefined, now: () => number = Date.now): Legacy {
  const deprecation: Record<string, string> = {
    deprecation: 'true',
    ...(sunset && { sunset: sunset.toUTCString() }), // an HTTP date, as RFC 8594 wants it
  }
  const none = {}
  return {
    headersOf: (path) => (isAtOrBelow(path, LEGACY_BASE) ? deprecation : none),
    withdrawn: (path) => {
      const isPast = sunset !== undefined && now() >= sunset.getTime()
      return isPast && isAtOrBelow(path, LEGACY_PREFIX) ? new AppError('gone', GONE) : undefined
    },
  }
}

const GONE = `The legacy vocabulary was withdrawn; use ${API_PREFIX}`
