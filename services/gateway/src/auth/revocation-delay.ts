import type { KeyView } from './key-view.ts'

const KEY = 'keys.key.'

/** When the key of this state was revoked, in milliseconds since 1970, if the view does not know of it yet. */
export function newlyRevokedAt(view: KeyView, subject: string, payload: unknown): number | undefined {
  if (!subject.startsWith(KEY)) return undefined
  const { revoked_at: revokedAt } = payload as { revoked_at?: unknown }
  if (typeof revokedAt !== 'string' || view.get(subject.slice(KEY.length))?.revoked) return undefined
  const ms = Date.parse(revokedAt)
  return Number.isNaN(ms) ? undefined : ms
}
