import type { IncomingHttpHeaders } from 'node:http'

/** Bytes of a file, the last one included. */
export type ByteRange = { first: number; last: number }

/**
 * The range of a request (RFC 9110, 14). `whole`: there is none, it is of another state of the file, or it is one that a
 * server may ignore, such as several ranges. `unsatisfiable`: it begins after the end.
 */
export function rangeOf(
  headers: IncomingHttpHeaders,
  bytes: number,
  etag: string,
): ByteRange | 'whole' | 'unsatisfiable' {
  const { range } = headers
  const ifRange = headers['if-range']
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return 'whole'
  const [, from = '', to = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range) ?? []
  if (from === '' && to === '') return 'whole'
  if (from === '')
    return Number(to) === 0 ? 'unsatisfiable' : within(Math.max(bytes - Number(to), 0), bytes - 1, bytes)
  if (to !== '' && Number(to) < Number(from)) return 'whole'
  return within(Number(from), to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1), bytes)
}

const within = (first: number, last: number, bytes: number) =>
  first < bytes ? { first, last } : 'unsatisfiable'
