import { z } from 'zod'
import { parseInstant } from './instant.ts'
import { MAX_ID, readId, Uuid } from './ids.ts'
import { addProblem, codePoints, CONTROL_PROBLEM, hasControl, patternOf, type FieldProblem } from './text.ts'

/**
 * Query parameters. The server passes each parameter as the list of its values, so that a repeated single-valued
 * parameter is refused (D7.6).
 */
export type Read<T> = (value: string) => { value: T } | { problem: FieldProblem }

type Shape = Record<string, unknown>

export const invalid = (expected: string): { problem: FieldProblem } => ({
  problem: { code: 'invalid_value', message: `{f} must be ${expected}` },
})

function parameter<T>(read: Read<T>, schema: Shape, description?: string) {
  return z
    .array(z.string())
    .transform((values, ctx): T => {
      const result = values.length === 1 ? read(values[0] ?? '') : invalid('sent only once')
      if ('value' in result) return result.value
      addProblem(ctx, result.problem)
      return z.NEVER
    })
    .meta({
      ...(description !== undefined && { description }),
      override: ({ jsonSchema }) => {
        delete jsonSchema.items // it is a list only internally
        Object.assign(jsonSchema, schema)
      },
    })
}

/** A repeatable parameter with at most 200 values, any of which may match. */
export function parameters<T>(
  read: Read<T>,
  schema: Shape,
  description = 'Repeatable: one of the values matches.',
) {
  return z
    .array(z.string())
    .transform((values, ctx): T[] => {
      const results = values.slice(0, 201).map(read)
      const problem: FieldProblem | undefined =
        values.length > 200
          ? { code: 'too_long', message: '{f} must contain at most 200 items', params: { max_length: 200 } }
          : results.flatMap((r) => ('problem' in r ? [r.problem] : []))[0]
      if (!problem) return results.flatMap((r) => ('value' in r ? [r.value] : []))
      addProblem(ctx, problem)
      return z.NEVER
    })
    .meta({ description, override: { type: 'array', items: schema } })
}

const readInteger =
  (min: number, max?: number): Read<number> =>
  (raw) => {
    if (!/^-?[0-9]+$/.test(raw)) return invalid('an integer')
    const value = Number(raw)
    if (value < min)
      return { problem: { code: 'too_small', message: `{f} must be ≥ ${min}`, params: { min } } }
    if (max !== undefined && value > max)
      return { problem: { code: 'too_large', message: `{f} must be ≤ ${max}`, params: { max } } }
    return { value: Math.min(value, Number.MAX_SAFE_INTEGER) }
  }

const readBoolean: Read<boolean> = (raw) =>
  raw === 'true' || raw === 'false' ? { value: raw === 'true' } : invalid('true or false')

const readQueryId: Read<number> = (raw) => {
  const reading = readId(raw)
  return 'id' in reading ? { value: reading.id } : invalid('a positive integer')
}

const readKey: Read<string> = (raw) =>
  /^[A-Za-z0-9-]{1,255}$/.test(raw) ? { value: raw } : invalid('1 to 255 letters, digits and hyphens')

const readEnum =
  <const T extends string>(allowed: readonly T[]): Read<T> =>
  (raw) => {
    const value = allowed.find((a) => a === raw)
    if (value !== undefined) return { value }
    const message = `{f} must be one of: ${allowed.join(', ')}`
    return { problem: { code: 'invalid_value', message, params: { allowed_values: allowed } } }
  }

// A control character would find nothing, PostgreSQL texts cannot contain NUL, and a lone surrogate cannot be sent
// (D3.3).
const readText =
  (max: number): Read<string> =>
  (raw) => {
    if (codePoints(raw) > max)
      return {
        problem: {
          code: 'too_long',
          message: `{f} must be at most ${max} characters`,
          params: { max_length: max },
        },
      }
    if (/\p{Surrogate}/u.test(raw)) return invalid('valid text')
    return hasControl(raw, 'labels') ? { problem: CONTROL_PROBLEM } : { value: raw }
  }

export const limitParameter = (max: number) =>
  parameter(
    readInteger(1, max),
    { type: 'integer', minimum: 1, maximum: max, default: 50 },
    'Maximum number of rows on a page.',
  )
export const limit = limitParameter(200)
export const offset = parameter(
  readInteger(0, Number.MAX_SAFE_INTEGER),
  { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
  'Number of rows to skip. A page past the end is empty.',
)
export const integerParameter = (min: number, max?: number) =>
  parameter(readInteger(min, max), {
    type: 'integer',
    minimum: min,
    ...(max !== undefined && { maximum: max }),
  })
export const booleanParameter = parameter(readBoolean, { type: 'boolean' })
/** For a filter with a single id. */
export const idParameter = parameter(readQueryId, { type: 'integer', format: 'int64', minimum: 1 })
export const idsParameter = parameters(readQueryId, { type: 'integer', format: 'int64', minimum: 1 })
/** Ids, or `none` alone for rows without one. */
export const idsOrNoneParameter = parameters<number | 'none'>(
  (raw) => (raw === 'none' ? { value: raw } : readQueryId(raw)),
  {
    oneOf: [
      { type: 'integer', format: 'int64', minimum: 1 },
      { type: 'string', enum: ['none'] },
    ],
  },
)
export const keysParameter = parameters(readKey, {
  type: 'string',
  pattern: '^[A-Za-z0-9-]+$',
  minLength: 1,
  maxLength: 255,
})
export const searchParameter = parameter(
  readText(255),
  { type: 'string', maxLength: 255, pattern: patternOf({ control: 'labels' }) },
  'Returns rows that contain this text, in any case and any Unicode spelling. No character has a special meaning.',
)

/** The values of one filter by metadata (D12.13). */
export const metadataValues = parameters(readText(255), { type: 'string' })

export const textParameter = (max: number, description: string) =>
  parameter(readText(max), { type: 'string', maxLength: max }, description)

/** Of an import: the header of a column, and its field after the last colon. */
export const columnsParameter = parameters<readonly [header: string, field: string]>(
  (raw) => {
    const at = raw.lastIndexOf(':')
    return at === -1
      ? invalid('a header, a colon and a field')
      : { value: [raw.slice(0, at), raw.slice(at + 1)] }
  },
  { type: 'string', pattern: ':', example: 'Bezeichnung:name' },
)

export const enumParameter = <T extends string>(allowed: readonly T[]) =>
  parameter(readEnum(allowed), { type: 'string', enum: [...allowed] })

/** Whether a list shows only rows that are valid now, or any (D12.5). */
export const windowParameter = parameter(
  readEnum(['current', 'any']),
  { type: 'string', enum: ['current', 'any'], default: 'current' },
  '`any` adds rows whose validity window does not include the current time.',
)

export const enumParameters = <T extends string>(allowed: readonly T[]) =>
  parameters(readEnum(allowed), { type: 'string', enum: [...allowed] })

/** `from` and `to` of history. The contract has another text for them than for body fields. */
export const instantParameter = parameter<string>(
  (raw) => {
    const value = parseInstant(raw)
    if (value !== undefined) return { value }
    return { problem: { code: 'invalid_value', message: "Invalid '{f}' timestamp; RFC3339 required" } }
  },
  { type: 'string', format: 'date-time' },
  'RFC 3339 timestamp with any offset. The bound is inclusive.',
)

/** `expand=asset,location`: what each row shows in addition. */
export const expandParameter = <const T extends string>(things: readonly T[]) =>
  parameter<T[]>(
    (raw) => {
      const parts = raw.split(',', things.length + 1)
      const known = things.filter((thing) => parts.includes(thing))
      if (known.length === parts.length) return { value: known }
      const message = `{f} must be one of: ${things.join(', ')}`
      return { problem: { code: 'invalid_value', message, params: { allowed_values: things } } }
    },
    {
      type: 'string',
      pattern: `^(${things.join('|')})(,(${things.join('|')})){0,${things.length - 1}}$`,
      example: things.join(','),
    },
    `Adds the thing itself to each row: id, external key and name, or null. Separated by commas: ` +
      `${things.map((thing) => `\`${thing}\``).join(', ')}. CSV stays as it is.`,
  )

export type SortField<T extends string> = { field: T; descending: boolean }

/** `sort=name,-created_at`: fields of the list, with a minus for descending order. Undefined if empty (D17.2). */
export function sortParameter<const T extends string>(fields: readonly T[]) {
  return parameter<SortField<T>[] | undefined>(
    (raw) => {
      if (raw === '') return { value: undefined }
      const parts = raw.split(',', 17).map((part) => {
        const descending = part.startsWith('-')
        return { field: descending ? part.slice(1) : part, descending }
      })
      const known = parts.filter((part): part is SortField<T> => fields.some((f) => f === part.field))
      if (known.length === parts.length && known.length <= 16) return { value: known }
      const message = `{f} must be one of: ${fields.join(', ')}`
      return { problem: { code: 'invalid_value', message, params: { allowed_values: fields } } }
    },
    {
      type: 'string',
      pattern: `^(-?(${fields.join('|')})(,-?(${fields.join('|')})){0,15})?$`,
      example: `-${fields[0]}`,
    },
    `Fields separated by commas. A leading \`-\` sorts in descending order. Empty: the default order. ` +
      `Fields: ${fields.map((f) => `\`${f}\``).join(', ')}.`,
  )
}

/** `limit` and `offset` of all lists. */
export const page = {
  limit: limit.optional().transform((sent) => sent ?? 50),
  offset: offset.optional().transform((sent) => sent ?? 0),
}

/** The envelope of a list, with a closed set of keys. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item),
    limit: z.int().meta({ override: { type: 'integer', minimum: 1, maximum: 200 }, example: 50 }),
    offset: z.int().meta({ override: { type: 'integer', minimum: 0 }, example: 0 }),
    total_count: z.int().meta({
      override: { type: 'integer', minimum: 0 },
      description: 'Number of rows on all pages.',
      example: 1,
    }),
  })

export const dataOf = <T extends z.ZodType>(item: T) => z.object({ data: item })

/** An id in a path. D7.7 maps its problems to codes. */
export const pathId = z
  .string()
  .transform((raw, ctx) => pathIdOf(raw, 'an integer', ctx))
  .meta({
    override: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_ID },
    example: 4503599627370497,
  })

/** For paths that name a resource by its id (a number) or by its UUID (a string). */
export const pathIdOrUuid = z
  .string()
  .transform((raw, ctx) => (Uuid.safeParse(raw).success ? raw : pathIdOf(raw, 'an integer or a UUID', ctx)))
  .meta({
    override: { type: 'string' },
    description: 'The id or the UUID.',
    example: '8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a',
  })

/** An id in a path that may also be something else: says what is expected. */
export function pathIdOf(raw: string, expected: string, ctx: z.RefinementCtx): number {
  const reading = readId(raw)
  if ('id' in reading) return reading.id
  const problem: FieldProblem =
    reading.code === 'too_small'
      ? { code: 'too_small', message: '{f} must be ≥ 1', params: { min: 1 } }
      : { code: 'invalid_value', message: `{f} must be ${expected}` }
  addProblem(ctx, problem)
  return z.NEVER
}
