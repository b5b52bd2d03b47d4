import type { ImageFormat, Size } from './size.ts'

/** RIFF with one of three first chunks: lossy, lossless, or extended with the size of its canvas. */
export const webp: ImageFormat = {
  type: 'image/webp',
  isLike: (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  sizeOf: (bytes) => (bytes.length < 30 ? undefined : sizeOfChunk(bytes.toString('latin1', 12, 16), bytes)),
}

function sizeOfChunk(name: string, bytes: Buffer): Size | undefined {
  if (name === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (name === 'VP8L' && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (name === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d012a)
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  return undefined
}
