import { invalid, unknownHere, type Body } from './rules.ts'

/** The parameters of a request. Who reads one knows it; what nobody knows is refused. */
export class Query {
  readonly #given: URLSearchParams
  readonly #known = new Set<string>()

  constructor(given: URLSearchParams) {
    this.#given = given
  }

  all(name: string): string[] {
    this.#known.add(name)
    return this.#given.getAll(name)
  }

  one(name: string, otherwise: string): string {
    return this.all(name)[0] ?? otherwise
  }

  number(name: string, otherwise: number, min: number, max: number): number {
    const text = this.one(name, String(otherwise))
    const value = Number(text)
    if (!/^-?\d+$/.test(text)) throw invalid(name, 'invalid_value', 'must be an integer')
    if (value < min) throw invalid(name, 'too_small', `must be ≥ ${min}`, { min })
    if (value > max) throw invalid(name, 'too_large', `must be ≤ ${max}`, { max })
    return value
  }

  oneOf<T extends string>(name: string, otherwise: T, allowed_values: readonly T[]): T {
    const text = this.one(name, otherwise)
    const found = allowed_values.find((value) => value === text)
    const message = `must be one of: ${allowed_values.join(', ')}`
    if (found === undefined) throw invalid(name, 'invalid_value', message, { allowed_values })
    return found
  }

  /** After all reading. */
  refuseOthers(): void {
    const other = [...this.#given.keys()].find((name) => !this.#known.has(name))
    if (other !== undefined) throw unknownHere(`parameter "${other}" of this operation`)
  }
}

/** A page of a list, as `sort`, `limit` and `offset` ask for it. `usual`: its order without `sort`. */
export function pageOf(
  rows: readonly Body[],
  query: Query,
  sorts: readonly string[],
  usual = sorts[0] ?? '',
): Body {
  const offset = query.number('offset', 0, 0, Number.MAX_SAFE_INTEGER)
  const limit = query.number('limit', 50, 1, 200)
  const order = (query.one('sort', usual) || usual)
    .split(',')
    .map((part) => (part.startsWith('-') ? { field: part.slice(1), sign: -1 } : { field: part, sign: 1 }))
  const message = `must be one of: ${sorts.join(', ')}`
  if (!order.every(({ field }) => sorts.includes(field)))
    throw invalid('sort', 'invalid_value', message, { allowed_values: sorts })
  query.refuseOthers()
  const sorted = rows.toSorted(
    (a, b) =>
      order.map(({ field, sign }) => sign * compare(a[field], b[field])).find((result) => result !== 0) ?? 0,
  )
  return { data: sorted.slice(offset, offset + limit), limit, offset, total_count: rows.length }
}

const compare = (a: unknown, b: unknown) => (a === b ? 0 : String(a) < String(b) ? -1 : 1)
