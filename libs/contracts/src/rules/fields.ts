import type { z } from 'zod'

/**
 * One field of a resource. Requests, replies, state messages, table columns and import columns derive from it.
 * docs/contributing/field.md lists the other steps for a new field.
 */
export type Field = {
  /** In replies. */
  view?: z.ZodType
  /** In POST. */
  create?: z.ZodType
  /** In PATCH. Without `writable` it is only compared with the stored row (D4.8). */
  patch?: z.ZodType
  /** PATCH and POST write the sent value into its column. */
  writable?: true
  /** The SQL type of its column. Without it the field is not stored in the row. */
  column?: 'bigint' | 'boolean' | 'jsonb' | 'text' | 'timestamptz'
  /** The value of a new row if the request has none. */
  default?: unknown
  /** A column of import and export files. */
  imported?: true
  /**
   * In state messages, if it differs from `view`. A new field is `.optional()` until every state was published again.
   */
  state?: z.ZodType
}

export type Fields = Record<string, Field>

/** The database sets the value: a minted id, the time of the transaction. */
export const BY_DATABASE = Symbol('by database')

/** A field with the same schema in POST and PATCH. */
export const writable = <S extends z.ZodType>(schema: S) => ({
  create: schema,
  patch: schema,
  writable: true as const,
})

/** The names of the fields that have `attribute`. */
export type NamesWith<F extends Fields, A extends keyof Field> = {
  [K in keyof F]: F[K] extends Record<A, unknown> ? K : never
}[keyof F] &
  string

export const namesWith = <F extends Fields, A extends keyof Field>(fields: F, attribute: A) =>
  Object.keys(fields).filter((name) => fields[name]?.[attribute] !== undefined) as NamesWith<F, A>[]

type Shape<F extends Fields, P extends 'view' | 'create' | 'patch'> = {
  [K in NamesWith<F, P>]: F[K] extends Record<P, infer S extends z.ZodType> ? S : never
}

/** The shape of one kind of request or reply, in the order of the fields. */
export const shapeOf = <F extends Fields, P extends 'view' | 'create' | 'patch'>(fields: F, part: P) =>
  Object.fromEntries(namesWith(fields, part).map((name) => [name, fields[name]?.[part]])) as Shape<F, P>

type StateShape<F extends Fields> = {
  [K in NamesWith<F, 'column'>]: F[K] extends { state: infer S extends z.ZodType }
    ? S
    : F[K] extends { view: infer V extends z.ZodType }
      ? V
      : never
}

/** The shape of a state message, with all columns. */
export const stateShapeOf = <F extends Fields>(fields: F) =>
  Object.fromEntries(
    namesWith(fields, 'column').map((name) => [name, fields[name]?.state ?? fields[name]?.view]),
  ) as StateShape<F>

/** The value of a field in replies and rows. Instants of rows may have more digits. */
export type ValueOf<F extends Field> = F extends { view: infer V extends z.ZodType } ? z.output<V> : never

/** Returns only these properties, so that a new column cannot leak. */
export function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  const picked: Partial<Pick<T, K>> = {} // twice as fast as `Object.fromEntries`, and each row of a list is picked
  for (const name of names) picked[name] = from[name]
  return picked as Pick<T, K>
}
