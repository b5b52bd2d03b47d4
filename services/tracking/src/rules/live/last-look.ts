import type { Rule } from '../decide/rule.ts'

const DAY_MS = 86_400_000

/** The last instant until now at which `missing_at` looked, or would have. */
export function lastLook(rule: Pick<Rule, 'nextLook'>, nowMs: number): number {
  let atMs = rule.nextLook(nowMs - 2 * DAY_MS)
  for (let next = rule.nextLook(atMs); next <= nowMs; next = rule.nextLook(next)) atMs = next
  return atMs
}
