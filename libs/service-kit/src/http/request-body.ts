import { AppError } from '../errors/app-error.ts'
import { bodyIsNull, bodyNotObject, malformedJson } from '../errors/errors.ts'
import { parseJson } from './json-text.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** The JSON object in a body. Throws the `bad_request` of D3 for any other body. */
export function decodeJsonObject(bytes: Uint8Array | undefined): Record<string, unknown> {
  const value = parse(bytes)
  if (value === null) throw bodyIsNull()
  if (typeof value !== 'object' || Array.isArray(value)) throw bodyNotObject()
  return value as Record<string, unknown>
}

function parse(bytes: Uint8Array | undefined): unknown {
  try {
    return parseJson(utf8.decode(bytes ?? new Uint8Array()))
  } catch (error) {
    throw error instanceof AppError ? error : malformedJson() // the parser's own message quotes the body
  }
}

/** A form body as an object. A repeated field stays a list, which none of our schemas accepts. */
export function decodeForm(bytes: Uint8Array | undefined): Record<string, unknown> {
  const fields = parsePairs(Buffer.from(bytes ?? []).toString('latin1'))
  if (!fields) throw malformedJson()
  return Object.fromEntries(
    Object.entries(fields).map(([key, values]) => [key, values.length === 1 ? values[0] : values]),
  )
}

/** More than any operation accepts, and less than ten milliseconds of work. */
const MAX_PAIRS = 10_000

/**
 * `a=1&b=2&a=3` as `{ a: ['1', '3'], b: ['2'] }`; undefined if an escape is not UTF-8 or if there are too many pairs.
 * URLSearchParams was rejected: it replaces broken sequences and so would accept them.
 */
export function parsePairs(text: string): Record<string, string[]> | undefined {
  const pairs: Record<string, string[]> = Object.create(null)
  try {
    const parts = text.split('&', MAX_PAIRS + 1)
    if (parts.length > MAX_PAIRS) return undefined
    for (const part of parts) {
      if (part === '') continue
      const at = part.indexOf('=')
      const key = decode(at === -1 ? part : part.slice(0, at))
      const value = at === -1 ? '' : decode(part.slice(at + 1))
      ;(pairs[key] ??= []).push(value)
    }
  } catch {
    return undefined
  }
  return pairs
}

const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
