import type { Places } from './places.ts'

/** A movement. Its minute and its instant are in microseconds since 1970. */
export type Step = { assetId: number; minute: number; at: number; from: number | null; to: number }

/** Whether a visit begins with it. `from` is null at first, and after a row without a place. */
export const begins = ({ from, to }: Step, { placeOf }: Places): boolean =>
  placeOf(to) !== undefined && (from === null || placeOf(from) !== placeOf(to))

/** In the order of pages: the newest first. */
export const byStart = (a: { at: number; assetId: number }, b: { at: number; assetId: number }): number =>
  b.at - a.at || b.assetId - a.assetId
