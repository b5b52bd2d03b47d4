import { z } from 'zod'
import { fieldCodes } from '../errors.ts'
import { openEnum } from './open-enum.ts'

/** The parts of errors that the envelope and the items of a batch share. */

export const FieldEntrySchema = z
  .object({
    field: z.string().meta({ description: 'JSON path, or name of the parameter.', example: 'tags[0].value' }),
    code: openEnum(fieldCodes, 'Branch on this.'),
    message: z.string().meta({ example: 'tags[0].value is required' }),
    params: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'The violated constraint, if it has parameters.', example: { max_length: 255 } }),
  })
  .meta({ id: 'FieldError' })

export const ConflictSchema = z
  .object({
    resource: openEnum(['asset', 'location'], 'What it is.'),
    id: z.int().meta({ override: { type: 'integer', format: 'int64' } }),
    external_key: z.string(),
  })
  .meta({ id: 'ErrorConflict' })
