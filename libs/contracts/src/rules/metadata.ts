import { z } from 'zod'
import { addProblem, type FieldProblem } from './text.ts'

const MAX_BYTES = 64 * 1024
const MAX_DEPTH = 32
/** Limit of reported problems: more of them usually have one cause. */
const MAX_PROBLEMS = 100

type Path = (string | number)[]

/** A value in metadata that cannot be stored unchanged (D12.2). */
export type Unstorable = FieldProblem & { path: Path; value: unknown }

type Step = { name: string | number; of: Step | undefined }
type Node = { value: object; step: Step | undefined }
type Found = { depth: number; values: number; unstorable: Unstorable[] }

/**
 * Checks all values, level by level and without recursion, because hostile input may be very deep. Stops at more levels
 * or values than metadata may have.
 */
function inspect(root: object): Found {
  const found: Found = { depth: 0, values: 0, unstorable: [] }
  let level: Node[] = [{ value: root, step: undefined }]
  while (level.length > 0 && found.depth <= MAX_DEPTH) {
    found.depth += 1
    level = level.flatMap((node) => inside(node, found))
  }
  return found
}

/** The objects and lists directly in a node. */
function inside({ value, step }: Node, found: Found): Node[] {
  const nodes: Node[] = []
  const names = Array.isArray(value) ? undefined : Object.keys(value)
  const members = names ? undefined : (value as unknown[])
  for (let i = 0; i < (names ?? (value as unknown[])).length && found.values <= MAX_BYTES; i += 1) {
    const name = names?.[i] ?? i
    const member = members ? members[i] : (value as Record<string, unknown>)[name]
    found.values += 1
    const problem = problemOf(name, member)
    if (problem && found.unstorable.length < MAX_PROBLEMS)
      found.unstorable.push({ ...problem, path: pathOf({ name, of: step }), value: member })
    if (typeof member === 'object' && member !== null) nodes.push({ value: member, step: { name, of: step } })
  }
  return nodes
}

function pathOf(step: Step): Path {
  const path: Path = []
  for (let at: Step | undefined = step; at; at = at.of) path.push(at.name)
  return path.toReversed()
}

const LARGE_INTEGER: FieldProblem = {
  code: 'invalid_value',
  message: '{f} must be between -9007199254740991 and 9007199254740991; send a larger integer as a string',
}
const INFINITE: FieldProblem = { code: 'invalid_value', message: '{f} must be a finite number' }
const PROTO: FieldProblem = { code: 'invalid_value', message: '{f}: a name must not be __proto__' }

/** Integers that a double cannot hold are bigints, see `parseJson`. */
function problemOf(name: string | number, value: unknown): FieldProblem | undefined {
  if (name === '__proto__') return PROTO
  if (typeof value === 'bigint') return LARGE_INTEGER
  return typeof value === 'number' && !Number.isFinite(value) ? INFINITE : undefined
}

/** The values in metadata that cannot be stored unchanged. */
export const unstorableIn = (root: object): readonly Unstorable[] => inspect(root).unstorable

const toJson = (value: object): string =>
  JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? Number(member) : member))

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The same for requests and replies, so that it is one schema of the API description. */
export const describedMetadata = {
  override: { type: 'object', additionalProperties: true, example: { maker: 'Linde' } },
} as const

/**
 * A free-form object that is replaced whole and bounded in size and depth (D4.6). Not a `z.record`, which takes 250 ms
 * for 150 000 names, silently drops `__proto__`, and checks all values a second time.
 */
function metadata({ mayEcho }: { mayEcho: boolean }) {
  const schema = z.unknown().check((payload) => {
    const { value } = payload
    if (!isObject(value)) {
      payload.issues.push({ code: 'invalid_type', expected: 'record', input: value })
      return
    }
    const problem = problemOfWhole(value)
    if (problem) addProblem(payload, problem)
    else if (!mayEcho)
      for (const { path, value: _refused, ...unstorable } of unstorableIn(value))
        addProblem(payload, unstorable, path)
  }) as unknown as z.ZodType<Record<string, unknown>>
  return schema.meta(describedMetadata)
}

function problemOfWhole(value: object): FieldProblem | undefined {
  const { depth, values } = inspect(value)
  if (depth > MAX_DEPTH)
    return { code: 'invalid_value', message: `{f} must be nested at most ${MAX_DEPTH} levels deep` }
  const json = values > MAX_BYTES ? undefined : toJson(value)
  if (json === undefined || Buffer.byteLength(json) > MAX_BYTES)
    return {
      code: 'too_long',
      message: `{f} must be at most ${MAX_BYTES} bytes of JSON`,
      params: { max_length: MAX_BYTES },
    }
  // JSON.stringify escapes NUL and lone surrogates, and PostgreSQL refuses these escapes in jsonb.
  return /\\u0000|\\ud[89a-f]/i.test(json.replaceAll('\\\\', ''))
    ? { code: 'invalid_value', message: '{f} must not contain NUL or broken Unicode' }
    : undefined
}

export const MetadataView = z.record(z.string(), z.unknown()).meta(describedMetadata)

export const Metadata = metadata({ mayEcho: false })

/**
 * For PATCH: values that cannot be stored are refused after a comparison with the stored row. They may come from a
 * reply: of metadata that was stored before these rules, or of 1e20, which a reply writes as an integer (D4.8).
 */
export const MetadataPatch = metadata({ mayEcho: true })
