const SHOWN_EVERY_MS = 200
/** A browser keeps a large blob on disk, and the parts of it in memory until then. */
const IN_MEMORY = 16_000_000

/** Reads a body into a file. `onBytes` gets the bytes so far, a few times a second. */
export async function receiveFile(
  body: AsyncIterable<Uint8Array<ArrayBuffer>>,
  { name, type }: { name: string; type: string },
  onBytes: (bytes: number) => void,
): Promise<File> {
  const blobs: Blob[] = []
  let parts: BlobPart[] = []
  let [bytes, stored, shownAt] = [0, 0, 0]
  for await (const part of body) {
    parts.push(part)
    bytes += part.byteLength
    if (bytes - stored > IN_MEMORY) {
      blobs.push(new Blob(parts))
      parts = []
      stored = bytes
    }
    if (Date.now() - shownAt < SHOWN_EVERY_MS) continue
    shownAt = Date.now()
    onBytes(bytes)
  }
  return new File([...blobs, ...parts], name, { type })
}
