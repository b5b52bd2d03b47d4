/** The smallest images of each kind that have a size. */

const be16 = (n: number) => [n >> 8, n & 0xff]
const be32 = (n: number) => [...be16(n >>> 16), ...be16(n & 0xffff)]
const le16 = (n: number) => be16(n).toReversed()
const le24 = (n: number) => [n & 0xff, (n >> 8) & 0xff, n >> 16]
const ascii = (text: string) => [...Buffer.from(text, 'latin1')]

export const png = (width: number, height: number): Buffer =>
  Buffer.from([0x89, ...ascii('PNG\r\n\x1a\n'), ...be32(13), ...ascii('IHDR'), ...be32(width), ...be32(height), ...Array(9).fill(0)]) // oxfmt-ignore

const frame = (width: number, height: number) => [
  0xff,
  0xc0,
  ...be16(11),
  8,
  ...be16(height),
  ...be16(width),
  1,
  1,
  0x11,
  0,
]

/** `segments` precede the frame. */
export const jpeg = (width: number, height: number, segments: readonly number[] = []): Buffer =>
  Buffer.from([0xff, 0xd8, ...segments, ...frame(width, height), 0xff, 0xd9])

/** An APP1 segment in which a camera says how it was held. */
export const exif = (orientation: number, order: 'II' | 'MM' = 'MM'): number[] => {
  const [n16, n32] = order === 'MM' ? [be16, be32] : [le16, (n: number) => be32(n).toReversed()]
  const entry = [...n16(0x0112), ...n16(3), ...n32(1), ...n16(orientation), 0, 0]
  const tiff = [...ascii(order), ...n16(42), ...n32(8), ...n16(1), ...entry, ...n32(0)]
  return [0xff, 0xe1, ...be16(2 + 6 + tiff.length), ...ascii('Exif\0\0'), ...tiff]
}

const riff = (chunk: string, content: readonly number[]) =>
  Buffer.from([
    ...ascii('RIFF'),
    0,
    0,
    0,
    0,
    ...ascii(`WEBP${chunk}`),
    0,
    0,
    0,
    0,
    ...content,
    ...Array(10).fill(0),
  ])

export const webp = {
  lossy: (width: number, height: number) =>
    riff('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, ...le16(width), ...le16(height)]),
  lossless: (width: number, height: number) =>
    riff('VP8L', [0x2f, ...be32((width - 1) | ((height - 1) << 14)).toReversed()]),
  extended: (width: number, height: number) =>
    riff('VP8X', [0, 0, 0, 0, ...le24(width - 1), ...le24(height - 1)]),
}

export const svg = (attributes: string, before = ''): Buffer =>
  Buffer.from(
    `${before}<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect width="1" height="1"/></svg>`,
  )
