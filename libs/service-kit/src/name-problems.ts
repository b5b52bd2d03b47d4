import type { FieldEntry } from '@whereabouts/contracts/errors'
import { DISPLAY_CONTROL_PROBLEM, hasDisplayControl } from '@whereabouts/contracts/text'

/** What is wrong with the name of a change. One that is stored may come back as it is, whatever is in it (D4.8). */
export function nameProblems(stored: string | undefined, sent: string | undefined): FieldEntry[] {
  if (sent === undefined || sent === stored || !hasDisplayControl(sent)) return []
  const { code, message } = DISPLAY_CONTROL_PROBLEM
  return [{ field: 'name', code, message: message.replace('{f}', 'name') }]
}
