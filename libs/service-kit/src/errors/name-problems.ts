import type { FieldEntry } from '@whereabouts/contracts/errors'
import { DISPLAY_CONTROL_PROBLEM, hasDisplayControl } from '@whereabouts/contracts/rules/text'

/**
 * Problems of the name in a change. The stored name may be sent back unchanged, even with control characters (D4.8).
 */
export function nameProblems(stored: string | undefined, sent: string | undefined): FieldEntry[] {
  if (sent === undefined || sent === stored || !hasDisplayControl(sent)) return []
  const { code, message } = DISPLAY_CONTROL_PROBLEM
  return [{ field: 'name', code, message: message.replace('{f}', 'name') }]
}
