import { z } from 'zod'
import { NaturalKey } from '../../rules/text.ts'

export const Rename = z
  .strictObject({ external_key: NaturalKey })
  .meta({ id: 'Rename', example: { external_key: 'NORTH-1' } })

/** The renamed resource, and how many others show the new key in their path. */
export const renamed = <T extends z.ZodType>(item: T) =>
  z.object({
    data: item,
    descendant_count_affected: z.int().meta({ override: { type: 'integer', minimum: 0 }, example: 0 }),
  })
