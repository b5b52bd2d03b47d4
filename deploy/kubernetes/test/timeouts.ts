import { isEndless, type RouteTable } from '@whereabouts/contracts/route'
import { routePath } from '@whereabouts/contracts/routes'
import { nameOf, ofKind } from './manifest.ts'
import type { Manifest } from './manifest.ts'

/** The gateway's limit for a file (its README). */
const FILE_SECONDS = 15 * 60

/** A token ends a stream. A path with a parameter has no rule of its own, and a stream without ids misses nothing then. */
const TOKEN_SECONDS = 15 * 60

/** Operations that a proxy in front of the gateway would end before the gateway does. */
export function timeoutProblems(objects: readonly Manifest[], routes: RouteTable): string[] {
  return ofKind(objects, 'HTTPRoute').flatMap((route) =>
    Object.entries(routes).flatMap(([operation, row]) => {
      const seconds = secondsFor(routePath(row), route)
      const least = isEndless(row) && row.path.includes('{') ? TOKEN_SECONDS : FILE_SECONDS
      const enough = seconds === 0 || ((!isEndless(row) || row.path.includes('{')) && seconds > least)
      return enough ? [] : [`${nameOf(route)} ends ${operation} after ${seconds} s`]
    }),
  )
}

/** The timeout of the best match: the whole path, then the longest prefix. 0 means none. */
function secondsFor(path: string, { spec }: Manifest): number {
  const matches = (spec.rules ?? []).flatMap(({ matches: of = [], timeouts }) =>
    of.map((match) => ({ type: match.path?.type, value: match.path?.value ?? '/', timeouts })),
  )
  const [best] = matches
    .filter(({ type, value }) => (type === 'Exact' ? path === value : path.startsWith(value)))
    .toSorted(
      (a, b) => Number(b.type === 'Exact') - Number(a.type === 'Exact') || b.value.length - a.value.length,
    )
  const { request = 'none', backendRequest = request } = best?.timeouts ?? {}
  const both = [request, backendRequest].map(secondsOf).filter((seconds) => seconds !== 0)
  return both.length === 0 ? 0 : Math.min(...both)
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600 }

/** Without a value, implementations use their own short timeouts. */
function secondsOf(duration: string): number {
  const [, amount, unit = ''] = /^(\d+)([smh])$/.exec(duration) ?? []
  return amount === undefined ? Number.MIN_VALUE : Number(amount) * (UNITS[unit] ?? Number.NaN)
}
