import { z } from 'zod'
import { Id } from '../rules/ids.ts'
import { booleanParameter, idsParameter } from '../rules/query.ts'

/** What `expand` adds to a row. */
export const Expanded = z.object({ id: Id, external_key: z.string(), name: z.string() }).meta({
  id: 'ExpandedThing',
  example: { id: 4503599627370497, external_key: 'FORKLIFT-7', name: 'Forklift 7' },
})
export type Expanded = z.infer<typeof Expanded>

/** Only with `expand=home` (D21.1). */
export const expandedHome = {
  home_location: Expanded.nullable().optional().meta({
    description:
      'With `expand=home`: the home of the asset. Null if it has none, or if it was deleted since.',
  }),
  is_home: z
    .boolean()
    .nullable()
    .optional()
    .meta({
      description:
        'With `expand=home`: whether the asset is at its home or below it. Null if it has no home or no location, or if either ' +
        'was deleted since.',
    }),
}

/** Filters by the home of an asset. */
export const homeFilters = {
  home_location_id: idsParameter.optional(),
  misplaced: booleanParameter.optional().meta({
    description:
      '`true` returns only assets that are not at their home or below it, `false` only those that are. Assets without a home or ' +
      'without a location are neither.',
  }),
}
