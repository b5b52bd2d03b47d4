import { MAX_DEPTH, MAX_NAMES, MAX_VALUES, scanJson, type JsonPath, type JsonRefusal } from './json-scan.ts'
import { AppError } from '../errors/app-error.ts'

/** Shorter texts are parsed quickly, even the worst. */
const HARMLESS_LENGTH = 64 * 1024
/** A text that does not match has no integer beyond the range of a double. */
const MANY_DIGITS = /\d{16}/

const REFUSALS: Record<JsonRefusal, string> = {
  depth: `Request body must be nested at most ${MAX_DEPTH} levels deep`,
  names: `Request body must have at most ${MAX_NAMES} different member names`,
  values: `Request body must have at most ${MAX_VALUES} values`,
}

/**
 * Parses JSON. Integers in `metadata` that a double cannot hold become bigints, so that the schema can refuse them:
 * metadata is stored unchanged. Throws SyntaxError, or `bad_request` for a text that would take too long.
 */
export const parseJson = (text: string): unknown => parseExactly(text, 'metadata')

/** Like `parseJson`, for a text that consists of metadata only. */
export const parseMetadata = (text: string): unknown => parseExactly(text, undefined)

function parseExactly(text: string, within: string | undefined): unknown {
  if (text.length <= HARMLESS_LENGTH && !MANY_DIGITS.test(text)) return JSON.parse(text)
  const { refusal, integers } = scanJson(text, within)
  if (refusal && text.length > HARMLESS_LENGTH) throw new AppError('bad_request', REFUSALS[refusal])
  const value: unknown = JSON.parse(text)
  let root = value
  for (const { path, literal } of integers) root = withExact(root, path, literal)
  return root
}

/** If a member was sent twice, the last one counts, so its value may be another number. */
function withExact(root: unknown, path: JsonPath, literal: string): unknown {
  const holder = path.slice(0, -1).reduce(memberOf, root)
  const name = path.at(-1)
  if (name === undefined) return root === Number(literal) ? BigInt(literal) : root
  if (memberOf(holder, name) === Number(literal))
    (holder as Record<string | number, unknown>)[name] = BigInt(literal)
  return root
}

const memberOf = (value: unknown, name: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string | number, unknown>)[name]
    : undefined
