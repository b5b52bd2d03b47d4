import type { components } from '@whereabouts/client/client'
import type { Checks } from '../../../../parts/form/checks.ts'
import { countText } from '../../../../parts/table/count-text.ts'
import { fromLocalInput } from '../../../../parts/time/local-time.ts'

export const SPANS = [
  { value: 'all', label: 'The whole history' },
  { value: 'own', label: 'From, to' },
] as const

/** What the form says. `from` and `to` are local times, for the span `own`. */
export type Draft = { span: string; from: string; to: string }
export const NEW_DRAFT: Draft = { span: 'all', from: '', to: '' }

/** What is missing, by field: an incomplete time is empty, and without a bound all is erased on that side. */
export const missingIn = ({ span, from, to }: Draft): Checks => {
  const missing = (text: string) =>
    span === 'own' && fromLocalInput(text) === null ? 'Enter a day and a time.' : undefined
  return { from: missing(from), to: missing(to) }
}

/** Called only if nothing is missing. Inputs hold minutes, and rows of the last minute are meant too. */
export function bodyOf(draft: Draft): components['schemas']['HistoryErasure'] {
  if (draft.span === 'all') return {}
  const [from, to] = [fromLocalInput(draft.from), fromLocalInput(draft.to)]
  if (from === null || to === null) throw new Error('a range to erase has both ends')
  return { from, to: to.replace('00.000Z', '59.999999Z') }
}

export const erasedText = (
  name: string,
  { rows, movements }: components['schemas']['ErasedHistory'],
): string =>
  rows + movements === 0
    ? `Nothing was erased: ${name} has no history there.`
    : `Erased ${countText(rows, 'rows')} of history and ${countText(movements, 'movements')} of ${name}.`
