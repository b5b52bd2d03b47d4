import { AT_WORK } from '../words/schedules.ts'
import { type Draft, NEW_RULE } from './draft.ts'

/** Rules to begin with. The form opens filled in, and lacks only what the organization has. */
export const EXAMPLES: Readonly<Record<string, { label: string; draft: Draft }>> = {
  stays: { label: 'Something stays in a location too long', draft: NEW_RULE },
  leaves: {
    label: 'Something leaves outside of working hours',
    draft: {
      ...NEW_RULE,
      kind: 'left',
      severity: 'critical',
      schedule: { days: [1, 2, 3, 4, 5, 6, 7], from: AT_WORK.to, to: AT_WORK.from },
    },
  },
  silent: {
    label: 'A reader is silent',
    draft: { ...NEW_RULE, who: 'any_reader', kind: 'reader_silent', seconds: null },
  },
}
