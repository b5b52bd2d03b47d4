/**
 * The text of a file while it arrives, as UTF-8: of UTF-16 with a byte order mark, of UTF-8, and of Windows-1252 if the
 * first character that is not ASCII is not UTF-8. Throws a `TypeError` at bytes that the encoding does not have.
 */
export async function* utf8Of(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let decoder: { decode(bytes?: Buffer, options?: { stream: boolean }): string } | undefined
  let isStart = true
  let pending: Buffer = Buffer.alloc(0)
  const start = (bytes: Buffer): Buffer => {
    const encoding = encodingOf(bytes, isStart)
    decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: !isStart })
    return Buffer.from(decoder.decode(bytes, { stream: true }))
  }
  for await (const piece of source) {
    if (decoder) {
      yield Buffer.from(decoder.decode(piece, { stream: true }))
      continue
    }
    const bytes = Buffer.concat([pending, piece])
    const at = bytes.findIndex((byte) => byte > 127)
    const ascii = bytes.subarray(0, at === -1 ? bytes.length : at)
    if (ascii.length > 0) isStart = false
    yield ascii
    pending = bytes.subarray(ascii.length)
    if (pending.length >= 4) yield start(pending)
  }
  if (!decoder && pending.length > 0) yield start(pending)
  if (decoder) yield Buffer.from(decoder.decode())
}

function encodingOf(bytes: Buffer, isStart: boolean): string {
  const lead = bytes[0] ?? 0
  if (isStart && lead === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (isStart && lead === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length))
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}
