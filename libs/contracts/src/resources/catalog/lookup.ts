import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { openEnum } from '../../rules/open-enum.ts'
import type { Route } from '../../route.ts'
import { TagView } from './tags.ts'
import { text } from '../../rules/text.ts'

export const MAX_LOOKUP_VALUES = 200

export const Lookup = z
  .strictObject({
    /** As long as a tag value, which is the longest name of a thing. */
    values: z
      .array(text(1, 255, { control: 'labels' }))
      .min(1)
      .max(MAX_LOOKUP_VALUES),
  })
  .meta({ id: 'Lookup', example: { values: ['FORKLIFT-7', 'E28011606000020A1B2C3D4E'] } })

const Named = z.object({ id: Id, external_key: z.string(), name: z.string() })

/** A live asset or location that a value names. `tag` is null if the value is its external key. */
export const LookupMatch = z
  .object({
    type: openEnum(['asset', 'location']),
    ...Named.shape,
    tag: TagView.omit({ id: true }).nullable(),
  })
  .meta({ id: 'LookupMatch' })
export type LookupMatch = z.infer<typeof LookupMatch>

export const LookupRow = z
  .object({ value: z.string(), matches: z.array(LookupMatch) })
  .meta({ id: 'LookupRow' })
export type LookupRow = z.infer<typeof LookupRow>

export const lookupRoutes = {
  lookUpValues: {
    method: 'POST',
    path: '/lookup',
    upstream: 'catalog',
    access: 'session',
    role: 'viewer',
    counted: false,
    described: false,
    summary: 'Find the assets and locations that scanned values name',
    description:
      'Returns one row per value, in the order of the request. A value names a live asset or location by its ' +
      'external key, which must be equal, or by a tag of any type, which is compared as reads are. Each asset or ' +
      'location is in `matches` once. External keys come first, assets before locations. Then come tags: those with ' +
      'exactly this value, then similar ones, the oldest first. Of several similar tags of one type only the one ' +
      'that a read would match counts. More than one match means that the value is ambiguous. Ignores validity ' +
      'windows.',
    body: Lookup,
    success: { status: 200, schema: z.object({ data: z.array(LookupRow) }) },
    errors: ['validation_error', 'bad_request'],
  },
} as const satisfies Record<string, Route>
