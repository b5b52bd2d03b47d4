import { z } from 'zod'
import { addProblem } from './text.ts'
import { metadataValues } from './query.ts'

/**
 * Filters of lists by metadata (D12.13): `metadata.<name>=<value>`. Their names are not known in advance, so they are not in the
 * shape of a query, and the description tells of them in words.
 */
const PREFIX = 'metadata.'
const NAME = /^metadata\.[A-Za-z0-9_-]{1,64}$/
const MAX_NAMES = 5

/** The values that may match, by the name of the member. All names must match. */
export type MetadataFilter = ReadonlyMap<string, readonly string[]>

/** Lets a strict query also take filters by metadata. */
export function withMetadata<S extends z.ZodRawShape>(query: z.ZodObject<S, z.core.$strict>): typeof query {
  const names = z.check<Record<string, unknown>>((payload) => {
    const extra = Object.keys(payload.value).filter((name) => !Object.hasOwn(query.shape, name))
    const sent = extra.filter((name) => NAME.test(name))
    const unknown = extra.filter((name) => !NAME.test(name))
    if (unknown.length > 0)
      payload.issues.push({ code: 'unrecognized_keys', keys: unknown, input: payload.value })
    if (sent.length > MAX_NAMES)
      addProblem(payload, { ...TOO_MANY, params: { max_length: MAX_NAMES } }, ['metadata'])
    for (const name of sent) {
      const input: unknown = payload.value[name]
      const parsed = metadataValues.safeParse(input, { reportInput: true })
      for (const issue of parsed.error?.issues ?? [])
        payload.issues.push({ ...issue, input, path: [name, ...issue.path] } as never)
    }
  })
  names._zod.def.when = () => true // zod's default skips the check as soon as any field has a problem
  return query.catchall(z.unknown()).check(names)
}

const TOO_MANY = {
  code: 'too_long',
  message: `{f} must contain at most ${MAX_NAMES} different names`,
} as const

/** The filters by metadata in a parsed query. */
export function metadataFilter(query: object): MetadataFilter {
  const sent = Object.entries(query).filter(([name]) => name.startsWith(PREFIX))
  return new Map(sent.map(([name, values]) => [name.slice(PREFIX.length), values as string[]]))
}
