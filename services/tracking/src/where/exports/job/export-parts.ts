import { createHash } from 'node:crypto'

/** All parts of a file but the last have this size, so that the part of any byte is known. */
export const PART_BYTES = 2 ** 20

export type Written = { bytes: number; sha256: string }

/** Writes a file in parts of equal size. Holds one part at a time. */
export async function writeParts(
  content: AsyncIterable<Buffer>,
  write: (part: number, body: Buffer) => Promise<void>,
): Promise<Written> {
  const digest = createHash('sha256')
  let bytes = 0
  let part = 0
  let held: Buffer[] = []
  let heldBytes = 0
  const flush = async () => {
    const body = Buffer.concat(held)
    ;[held, heldBytes] = [[], 0]
    digest.update(body)
    bytes += body.length
    await write(part, body)
    part += 1
  }
  for await (const chunk of content)
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + PART_BYTES - heldBytes)
      held.push(piece)
      heldBytes += piece.length
      at += piece.length
      if (heldBytes === PART_BYTES) await flush()
    }
  if (heldBytes > 0) await flush()
  return { bytes, sha256: digest.digest('hex') }
}
