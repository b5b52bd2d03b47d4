import type { Alert } from '../../parts/alerts/alert-text.ts'
import { durationText } from '../../parts/time/times.ts'
import { useNow } from '../../parts/time/when.tsx'

/** From when it was raised until it was resolved, or now. */
export function OpenFor({ alert: { raised_at: from, resolved_at: to } }: { alert: Alert }) {
  const now = useNow()
  const until = to === null ? now : Date.parse(to)
  return durationText(Math.max(0, until - Date.parse(from)) / 1000)
}
