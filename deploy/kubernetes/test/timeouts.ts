import { isEndless, type RouteTable } from '@whereabouts/contracts/route'
import { routePath } from '@whereabouts/contracts/routes'
import { nameOf, ofKind } from './manifest.ts'
import type { Manifest } from './manifest.ts'

/** What the gateway gives a file (its README). */
const FILE_SECONDS = 15 * 60

/** Rows of the route table that what stands in front of the gateway would break off before the gateway does. */
export function timeoutProblems(objects: readonly Manifest[], routes: RouteTable): string[] {
  return ofKind(objects, 'HTTPRoute').flatMap((route) =>
    Object.entries(routes).flatMap(([operation, row]) => {
      const seconds = secondsFor(routePath(row), route)
      const enough = seconds === 0 || (!isEndless(row) && seconds > FILE_SECONDS)
      return enough ? [] : [`${nameOf(route)} ends ${operation} after ${seconds} s`]
    }),
  )
}

/** Of the most exact match: the whole path, then the longest prefix. 0 means never. */
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

/** Left out, implementations have timeouts of their own, short ones. */
function secondsOf(duration: string): number {
  const [, amount, unit = ''] = /^(\d+)([smh])$/.exec(duration) ?? []
  return amount === undefined ? Number.MIN_VALUE : Number(amount) * UNITS[unit]!
}
