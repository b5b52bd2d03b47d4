import { countText } from '../../../../parts/table/count-text.ts'
import { failureOf } from '../../../../parts/load/failure.ts'
import type { Asset } from '../../assets/asset-fields.ts'

export type Failed = { item: Pick<Asset, 'name'>; reason: string }

const SHOWN = 3

/** `Deleted 12 assets. 2 failed: Pump (not found), Drill (not found).` */
export function outcomeText(verb: string, done: number, failed: readonly Failed[]): string {
  const first = `${verb} ${countText(done, 'assets')}.`
  if (failed.length === 0) return first
  const some = failed.slice(0, SHOWN).map(({ item, reason }) => `${item.name} (${reason})`)
  const more = failed.length > SHOWN ? `, and ${failed.length - SHOWN} more` : ''
  return `${first} ${failed.length} failed: ${some.join(', ')}${more}.`
}

export function reasonOf(error: unknown): string {
  const { title, detail } = failureOf(error)
  return detail ?? title
}
