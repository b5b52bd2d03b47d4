import type { ImageFormat } from './size.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Its first chunk is IHDR, which begins with the size. */
export const png: ImageFormat = {
  type: 'image/png',
  isLike: (bytes) => bytes.subarray(0, 8).equals(SIGNATURE),
  sizeOf: (bytes) =>
    bytes.length >= 33 && bytes.readUInt32BE(8) === 13 && bytes.toString('latin1', 12, 16) === 'IHDR'
      ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
      : undefined,
}
