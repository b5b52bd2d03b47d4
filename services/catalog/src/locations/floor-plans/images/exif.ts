const ORIENTATION = 0x0112
const SHORT = 3

/**
 * Whether this APP1 segment says that the image lies on its side. Browsers turn it, so width and height change places.
 * False for anything that is not readable, as in browsers.
 */
export function isTurned(segment: Buffer): boolean {
  if (segment.toString('latin1', 0, 6) !== 'Exif\0\0') return false
  const tiff = segment.subarray(6)
  if (tiff.length < 8) return false
  const order = tiff.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return false
  const read16 = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (directory + 2 > tiff.length) return false
  const entries = read16(directory)
  for (let i = 0; i < entries; i += 1) {
    const at = directory + 2 + i * 12
    if (at + 12 > tiff.length) return false
    if (read16(at) === ORIENTATION && read16(at + 2) === SHORT)
      return read16(at + 8) >= 5 && read16(at + 8) <= 8
  }
  return false
}
