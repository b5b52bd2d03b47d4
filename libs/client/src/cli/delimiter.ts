import { Readable } from 'node:stream'

const DELIMITERS = [',', ';', '\t'] as const

/** The delimiter that a first line `sep=;` names. */
export const separatorOf = (line: string): string | undefined =>
  /^"?sep=([\t!#-/:-@[-^`{-~])"?\1*$/i.exec(line)?.[1]

/** The one of a CSV file that its header line has most. Spreadsheets write semicolons where a comma is for decimals. */
export function delimiterOf(header: string): string {
  const named = separatorOf(header)
  if (named !== undefined) return named
  const count = (delimiter: string) => header.split(delimiter).length
  return DELIMITERS.reduce((best, one) => (count(one) > count(best) ? one : best))
}

/** Reads the header line, and resolves with it and with all of the source. */
export async function peekHeader(source: Readable): Promise<{ header: string; whole: Readable }> {
  const chunks: Buffer[] = []
  const rest = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const header = () => /^[\ufeff\s]*(\S[^\r\n]*)[\r\n]/.exec(Buffer.concat(chunks).toString())?.[1]
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    chunks.push(next.value)
    if (header() !== undefined) break
  }
  async function* all() {
    yield* chunks
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  }
  return { header: header() ?? Buffer.concat(chunks).toString(), whole: Readable.from(all()) }
}
