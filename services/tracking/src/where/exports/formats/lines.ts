import { CSV_START, escapeFormula } from '@whereabouts/service-kit/http/csv'
import type { Batch, Column, Value } from '../batch.ts'

type Text = (value: Value) => string

/** Rows of one text: a longer one takes a multiple of its size while it grows. */
const SOME_ROWS = 1_000

/** The lines of a CSV file by RFC 4180, after a byte order mark (D19.5). */
export async function* csvLines(
  columns: readonly Column[],
  batches: AsyncIterable<Batch>,
): AsyncGenerator<string> {
  yield `${CSV_START}${columns.map(({ name }) => name).join(',')}\r\n`
  const texts = columns.map(({ type }) => repeated(csvText(type)))
  for await (const { rows, columns: values } of batches) {
    let lines = ''
    for (let row = 0; row < rows; row += 1) {
      for (let at = 0; at < texts.length; at += 1) {
        if (at > 0) lines += ','
        lines += texts[at]?.(values[at]?.[row] ?? null) ?? ''
      }
      lines += '\r\n'
      if (row % SOME_ROWS === SOME_ROWS - 1) {
        yield lines
        lines = ''
      }
    }
    if (lines !== '') yield lines
  }
}

/** A JSON object per line. */
export async function* jsonLines(
  columns: readonly Column[],
  batches: AsyncIterable<Batch>,
): AsyncGenerator<string> {
  const names = columns.map(({ name }, at) => `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  const texts = columns.map(({ type }) => repeated(jsonText(type)))
  for await (const { rows, columns: values } of batches) {
    let lines = ''
    for (let row = 0; row < rows; row += 1) {
      for (let at = 0; at < texts.length; at += 1)
        lines += (names[at] ?? '') + (texts[at]?.(values[at]?.[row] ?? null) ?? 'null')
      lines += '}\n'
      if (row % SOME_ROWS === SOME_ROWS - 1) {
        yield lines
        lines = ''
      }
    }
    if (lines !== '') yield lines
  }
}

const csvText =
  (type: Column['type']): Text =>
  (value) => {
    if (value === null) return ''
    if (type !== 'text') return plain(type, value)
    const text = escapeFormula(String(value))
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }

const jsonText =
  (type: Column['type']): Text =>
  (value) => {
    if (value === null) return 'null'
    if (type === 'text') return JSON.stringify(value)
    return type === 'instant' ? `"${plain(type, value)}"` : plain(type, value)
  }

const plain = (type: Column['type'], value: number | string): string =>
  type === 'instant' ? new Date(value).toISOString() : String(value)

/** Rows are in the order of assets, so a value often repeats that of the row before. */
function repeated(text: Text): Text {
  let last: Value = null
  let made = text(last)
  return (value) => {
    if (value === last) return made
    made = text(value)
    last = value
    return made
  }
}
