import type { Expanded } from '@whereabouts/contracts/resources/home'
import { z } from 'zod'

/** Addresses of the console, so that a person sees what an assistant talks about. */
export type Screens = Record<'asset' | 'location' | 'reader', (id: number) => string>

/** The paths of `services/console/src/screens.ts`. */
export const screensOf = (publicUrl: string): Screens => ({
  asset: (id) => `${publicUrl}/assets/${id}`,
  location: (id) => `${publicUrl}/locations/${id}`,
  reader: (id) => `${publicUrl}/readers/${id}`,
})

const url = z.string().describe('The screen of the console that shows it, for people.')
const instant = z.string().describe('RFC 3339 timestamp in UTC.')
export const Instant = instant
export const MaybeInstant = instant.nullable()

/** An asset or a location. Key and name are null once it is deleted. */
export const Thing = z.object({
  id: z.int(),
  external_key: z.string().nullable(),
  name: z.string().nullable(),
  url,
})
export const Place = Thing.nullable().describe('The location. Null if there is none.')
export const ReaderUrl = url.nullable()

type Named = { id: number; external_key: string | null; name: string | null }

/** With the address of its screen, and without what a tool does not show. */
export const withUrl = ({ id, external_key, name }: Named, screen: (id: number) => string) => ({
  id,
  external_key,
  name,
  url: screen(id),
})

/** The location of a row with `expand=location`: one that was deleted has its id alone. */
export function placeOf(
  { location_id: id, location }: { location_id: number | null; location?: Expanded | null | undefined },
  { location: screen }: Screens,
) {
  return id === null ? null : withUrl(location ?? { id, external_key: null, name: null }, screen)
}

/** Small, because an assistant reads every row. */
const LIMITS = { most: 50, usual: 20 }
export const limit = z.int().min(1).max(LIMITS.most).default(LIMITS.usual).describe('Rows of a page.')
export const paging = {
  limit,
  offset: z.int().min(0).default(0).describe('`next_offset` of the page before.'),
}
export const paged = {
  total: z.int().describe('Rows on all pages.'),
  next_offset: z.int().nullable().describe('Send it as `offset` for the next page. Null on the last one.'),
}

type Page = { data: unknown[]; offset: number; total_count: number }

/** The last fields of a result with pages. */
export function pagedOf({ data, offset, total_count: total }: Page) {
  const next = offset + data.length
  return { total, next_offset: data.length > 0 && next < total ? next : null }
}

export const period = {
  from: z.string().optional().describe('RFC 3339 timestamp with an offset. Inclusive.'),
  to: z.string().optional().describe('RFC 3339 timestamp with an offset. Inclusive.'),
}
