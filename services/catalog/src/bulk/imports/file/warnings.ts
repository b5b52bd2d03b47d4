import {
  importColumns,
  type FileColumn,
  type ImportResource,
  type RowWarning,
} from '@whereabouts/contracts/resources/catalog/imports'
import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { tagTypes } from '@whereabouts/contracts/resources/catalog/tags'
import { unescapeFormula } from '@whereabouts/service-kit/http/csv'
import { splitValues } from './cells.ts'
import type { CsvRow } from './csv.ts'

/** A column of many tags is checked up to here. */
const MAX_VALUES = 1_000

/** What a spreadsheet or the clipboard probably destroyed in a row: each kind once per column. It fails no row. */
export function warningsOf(
  resource: ImportResource,
  columns: readonly FileColumn[],
  { cells }: Pick<CsvRow, 'cells'>,
): RowWarning[] {
  const read: readonly FileColumn[] = importColumns[resource]
  return columns.flatMap((column, i) => {
    const cell = unescapeFormula(cells[i] ?? '')
    // JSON may have such numbers.
    if (cell === '' || column === 'metadata' || !read.includes(column)) return []
    const isTag = tagTypes.some((type) => type === column)
    const values = isTag ? splitValues(cell).slice(0, MAX_VALUES) : [cell]
    const checks = column === 'rfid' ? CHECKS : CHECKS.filter(({ code }) => code !== 'unreadable_tag')
    return checks.flatMap(({ code, isMet, message }) => {
      const value = values.find(isMet)
      return value === undefined ? [] : [{ field: column, code, message: message(column, shown(value)) }]
    })
  })
}

type Check = {
  code: RowWarning['code']
  isMet: (value: string) => boolean
  message: (column: string, value: string) => string
}

/** 15 digits are all that a spreadsheet keeps of a number. */
const NUMBER = /^\s*(?:-?\d(?:[.,]\d+)?E[+-]\d+|\d{15}00+)\s*$/i

/** In all languages of spreadsheets, and those of LibreOffice. */
const ERROR = /^\s*(?:#[¡¿]?\p{L}[\p{L}\d/_ .]*[!?]|#(?:N\/A|N\/D|N\/B|NV|NULL|I\/T)|Err:\d{3})\s*$/iu

/** A joiner between letters of other scripts, or in an emoji, belongs to the text. */
const INVISIBLE =
  /\u034f|[\u00a0\u00ad\u180e\u200b\u200e\u200f\u202a-\u202f\u2060-\u2064\u2066-\u2069\ufeff]|(?<![^\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\0-\x7f])/u

const CHECKS: readonly Check[] = [
  {
    code: 'spreadsheet_number',
    isMet: (value) => NUMBER.test(value),
    message: (column, value) =>
      `${column} "${value}" was rewritten by a spreadsheet: its digits are gone. Format the column as text and enter it again`,
  },
  {
    code: 'spreadsheet_error',
    isMet: (value) => ERROR.test(value),
    message: (column, value) => `${column} "${value}" is the error of a formula in a spreadsheet`,
  },
  {
    code: 'unreadable_tag',
    isMet: (value) => !isReadable(value),
    message: (column, value) =>
      `no reader sends ${column} "${value}": it is neither hex of whole bytes nor a URN`,
  },
  {
    code: 'invisible_character',
    isMet: (value) => INVISIBLE.test(value),
    message: (column, value) => `${column} "${value}" has the invisible character ${invisibleIn(value)}`,
  },
]

/** Spaces, dashes and colons between the bytes do not matter (D6.5). */
const isReadable = (value: string): boolean =>
  /^(?:[0-9A-F]{2})+$/.test(matchValue('rfid', value)) || /^\s*urn:/i.test(value)

const invisibleIn = (value: string): string => {
  const code = INVISIBLE.exec(value)?.[0].codePointAt(0) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** A value may be very long. */
const shown = (value: string) => (value.length > 60 ? `${value.slice(0, 60)}…` : value)
