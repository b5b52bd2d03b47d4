import { isTurned } from './exif.ts'
import type { ImageFormat, Size } from './size.ts'

/** A chain of segments. Those that begin a frame (SOFn) have the size. */
export const jpeg: ImageFormat = {
  type: 'image/jpeg',
  isLike: (bytes) => bytes.length > 2 && bytes.readUIntBE(0, 3) === 0xffd8ff,
  sizeOf(bytes) {
    let turned = false
    for (let at = 2; at + 9 <= bytes.length;) {
      if (bytes[at] !== 0xff) return undefined
      const marker = bytes.readUInt8(at + 1)
      if (marker === 0xff) at += 1 // padding
      else if (hasNoLength(marker)) at += 2
      else if (isEnd(marker)) return undefined
      else if (isFrame(marker)) return frameSize(bytes, at, turned)
      else {
        const length = bytes.readUInt16BE(at + 2)
        if (length < 2) return undefined
        if (marker === 0xe1) turned ||= isTurned(bytes.subarray(at + 4, at + 2 + length))
        at += 2 + length
      }
    }
    return undefined
  },
}

/** TEM and restart markers. */
const hasNoLength = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

/** Of the image, or of the headers before its data. */
const isEnd = (marker: number) => marker === 0xd9 || marker === 0xda

/** SOF0 to SOF15 without the three tables between them. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function frameSize(bytes: Buffer, at: number, turned: boolean): Size {
  const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
  return turned ? { width: height, height: width } : { width, height }
}
