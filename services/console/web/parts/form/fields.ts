import { filled, problemsIn } from './checks.ts'
import type { FieldMessages } from '../load/failure.ts'
import type { Kind } from './field-kinds.tsx'

/** One field of a resource: in the form, on the data card, in the table and in import files. */
type Field<Value> = {
  label: string
  kind: Kind<Value>
  help?: string
  isRequired?: true
  /** Only in the form of a new resource. */
  isCreateOnly?: true
  /** Whether the form shows the input, by the values of the form. */
  isVisible?: (values: Values) => boolean
  /** A problem with other fields of the form, such as an end before its start. */
  check?: (values: Values) => string | undefined
  /** Takes half of a line in the form. */
  isHalf?: true
  /** Not on the data card, because the screen shows it elsewhere. */
  isShownElsewhere?: true
  /** A column of the table; `sortable` if the API sorts by it. */
  tableColumn?: 'plain' | 'sortable'
  /** Overrides the name or help of the import column. */
  importColumn?: { name?: string; help: string }
}

/** The fields of a resource, in the order of an export. `Keys` makes a missing or unknown key a type error. */
export type Fields<Resource, Keys extends keyof Resource> = { readonly [Key in Keys]: Field<Resource[Key]> }

/** Fields of any resource. */
// oxlint-disable-next-line typescript/no-explicit-any -- each field has a type of its own, as value and as typed
export type AnyFields = Readonly<Record<string, Field<any>>>
export type Values = Readonly<Record<string, unknown>>

export const entriesOf = (fields: AnyFields) => Object.entries(fields)

/** The input values of a resource; of a new one without `resource`. */
export const valuesOf = (fields: AnyFields, resource?: Values): Values =>
  Object.fromEntries(
    entriesOf(fields).map(([key, { kind }]) => [key, resource ? kind.toTyped(resource[key]) : kind.empty]),
  )

const isChanged = (before: Values, after: Values, key: string) => before[key] !== after[key]

/**
 * The changed fields as values of the API. Unchanged fields are left out, so that concurrent changes by other people
 * stay.
 */
export const changedFields = (fields: AnyFields, before: Values, after: Values): Values =>
  Object.fromEntries(
    entriesOf(fields)
      .filter(([key]) => isChanged(before, after, key))
      .map(([key, { kind }]) => [key, kind.toValue(after[key])]),
  )

/** Problems that are known before anything is sent: empty required fields, and what is wrong in changed ones. */
export const problemsOf = (fields: AnyFields, before: Values, after: Values): FieldMessages =>
  problemsIn(
    Object.fromEntries(
      entriesOf(fields).map(([key, { kind, isRequired, check }]) => [
        key,
        (isRequired ? filled(textOf(after[key])) : undefined) ??
          (isChanged(before, after, key) ? kind.problemOf?.(after[key]) : undefined) ??
          check?.(after),
      ]),
    ),
  )

const textOf = (typed: unknown) => (typeof typed === 'string' ? typed : JSON.stringify(typed ?? ''))

/** For the end of a validity; both are values of `datetime-local` inputs. */
export const isAfterStart = ({ valid_from: from, valid_to: to }: Values): string | undefined =>
  typeof from === 'string' && typeof to === 'string' && from !== '' && to !== '' && to <= from
    ? 'Must be later than “Valid from”.'
    : undefined

export type ImportColumn = { name: string; help: string }

export const importColumnsOf = (fields: AnyFields): ImportColumn[] =>
  entriesOf(fields).map(([key, { kind, importColumn }]) => ({
    name: importColumn?.name ?? key,
    help: importColumn?.help ?? kind.importHelp,
  }))
