import { MAX_IMAGE_SIDE, imageTypes, type ImageType } from '@whereabouts/contracts/floor-plans'
import { AppError } from '@whereabouts/service-kit/app-error'
import { fc } from '@whereabouts/testing/fuzz'
import { describe, expect, test } from 'vitest'
import { exif, jpeg, png, svg, webp } from '../../../test/images.fixture.ts'
import { readImage } from './read-image.ts'

/** The size, or why there is none. */
function read(bytes: Buffer, type: string): string {
  try {
    const { width, height } = readImage(bytes, type)
    return `${width}×${height}`
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

const app0 = [0xff, 0xe0, 0, 4, 1, 2]
const images: [string, ImageType, Buffer][] = [
  ['PNG', 'image/png', png(40, 30)],
  ['JPEG', 'image/jpeg', jpeg(40, 30)],
  ['JPEG with segments and padding', 'image/jpeg', jpeg(40, 30, [...app0, 0xff, 0xff, 0xff, 0x01, ...app0])],
  ['JPEG that stands upright', 'image/jpeg', jpeg(40, 30, exif(3))],
  ['JPEG that lies on its side', 'image/jpeg', jpeg(30, 40, exif(6))],
  ['JPEG that lies on its side, little endian', 'image/jpeg', jpeg(30, 40, exif(8, 'II'))],
  ['lossy WebP', 'image/webp', webp.lossy(40, 30)],
  ['lossless WebP', 'image/webp', webp.lossless(40, 30)],
  ['extended WebP', 'image/webp', webp.extended(40, 30)],
  ['SVG with a size', 'image/svg+xml', svg('width="40" height="30px"')],
  ['SVG in inches', 'image/svg+xml', svg(`width="${40 / 96}in" height='22.5pt'`)],
  ['SVG with a view box', 'image/svg+xml', svg('viewBox="5 5, 40 30"')],
  ['SVG with a width and a view box', 'image/svg+xml', svg('width="40" height="100%" viewBox="0 0 80 60"')],
  ['SVG after a prolog', 'image/svg+xml', svg('viewBox="0 0 40 30"', '\uFEFF<?xml version="1.0"?>\n<!-- a - <svg> --><!DOCTYPE svg>')],
  ['SVG with a prefix', 'image/svg+xml', Buffer.from('<s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 40 30"/>')],
] // oxfmt-ignore

test.for(images)('the size of a %s', ([, type, bytes]) => expect(read(bytes, type)).toBe('40×30'))

test.for(images)('the bytes of a %s decide the type', ([, type, bytes]) => {
  for (const other of imageTypes.filter((one) => one !== type))
    expect(read(bytes, other)).toBe(
      `The file is ${type}, but Content-Type is ${other}. Send ${type} as Content-Type.`,
    )
})

describe('a refusal says what to do', () => {
  const unknown = 'The file is not a PNG, JPEG, WebP or SVG image. Export it as one of these.'
  const damaged = 'The image is damaged: its size cannot be read. Export it again.'
  const sizeless = 'The SVG has no size. Give its root element a viewBox, or width and height in pixels.'
  test.for<[string, ImageType, Buffer, string]>([
    ['nothing', 'image/png', Buffer.alloc(0), unknown],
    ['a GIF', 'image/png', Buffer.from('GIF89a\x01\0\x01\0'), unknown],
    ['a page', 'image/svg+xml', Buffer.from('<!doctype html><svg width="1" height="1">'), unknown],
    ['an SVG without its namespace', 'image/svg+xml', Buffer.from('<svg viewBox="0 0 4 3"/>'), unknown],
    ['an SVG with entities', 'image/svg+xml', svg('viewBox="0 0 4 3"', '<!DOCTYPE svg [<!ENTITY a "b">]>'), unknown],
    ['an SVG whose root begins late', 'image/svg+xml', svg('viewBox="0 0 4 3"', ' '.repeat(65_536)), unknown],
    ['a PNG without a width', 'image/png', png(0, 30), damaged],
    ['a JPEG that ends before its frame', 'image/jpeg', Buffer.from([0xff, 0xd8, ...app0, 0xff, 0xd9, ...app0, ...app0]), damaged],
    ['a segment without its own length', 'image/jpeg', jpeg(40, 30, [0xff, 0xe0, 0, 0]), damaged],
    ['a WebP of an unknown kind', 'image/webp', Buffer.from(`RIFF0000WEBPVP9 ${'0'.repeat(20)}`), damaged],
    ['an SVG without a size', 'image/svg+xml', svg(''), sizeless],
    ['an SVG as large as its frame', 'image/svg+xml', svg('width="100%" height="10em"'), sizeless],
    ['an SVG with an empty view box', 'image/svg+xml', svg('viewBox="0 0 0 30"'), sizeless],
    ['a wide PNG', 'image/png', png(MAX_IMAGE_SIDE + 1, 1), 'The image has 8001 × 1 pixels. Make it at most 8000 on each side.'],
    ['a tall WebP', 'image/webp', webp.lossy(1, MAX_IMAGE_SIDE + 1), 'The image has 1 × 8001 pixels. Make it at most 8000 on each side.'],
  ])('%s', ([, type, bytes, why]) => expect(read(bytes, type)).toBe(why)) // oxfmt-ignore

  test('the largest size is accepted', () =>
    expect(read(png(MAX_IMAGE_SIDE, MAX_IMAGE_SIDE), 'image/png')).toBe('8000×8000'))
})

describe('hostile bytes are read or refused', () => {
  test.for(images)('every beginning of a %s', ([, type, bytes]) => {
    for (let end = 0; end < bytes.length; end += 1)
      expect(read(bytes.subarray(0, end), type)).toMatch(/^40×30$|^The (?:file|image|SVG) /)
  })

  // A small Buffer is a view of a larger block of memory, which may have data of others.
  test('a truncated PNG within other data', () => {
    const around = Buffer.concat([png(40, 30), Buffer.alloc(100, 7)])
    for (let end = 16; end < 24; end += 1)
      expect(read(around.subarray(0, end), 'image/png')).toMatch(/^The image /)
  })

  test('a small root in a comment before the large root', () => {
    const bytes = svg('width="9000" height="9000"', `<!-- ${String(svg('width="1" height="1"'))} -->`)
    expect(read(bytes, 'image/svg+xml')).toMatch(/^The image has 9000 × 9000 pixels/)
  })

  test.for(images)('a %s with any bytes changed', ([, type, bytes]) => {
    const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 })), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(changes, (some) => {
        const changed = Buffer.from(bytes)
        for (const [at, byte] of some) changed[at] = byte
        expect(read(changed, type)).toMatch(/^\d+×\d+$|^The (?:file|image|SVG) /)
      }),
    )
  })

  test.for(images)('anything after the first bytes of a %s', ([, type, bytes]) => {
    fc.assert(
      fc.property(fc.nat(30), fc.uint8Array({ maxLength: 200 }), (kept, rest) => {
        expect(read(Buffer.concat([bytes.subarray(0, kept), rest]), type)).toMatch(
          /^\d+×\d+$|^The (?:file|image|SVG) /,
        )
      }),
    )
  })

  // These would not end in time if each part were read again for every other part.
  test.for<[string, ImageType, Buffer]>([
    ['segments', 'image/jpeg', Buffer.concat([Buffer.from([0xff, 0xd8]), ...Array<Buffer>(400_000).fill(Buffer.from([0xff, 0xe1, 0, 2]))])],
    ['padding', 'image/jpeg', Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(2_000_000, 0xff)])],
    ['beginnings of a root', 'image/svg+xml', Buffer.from('<svg '.repeat(400_000))],
    ['beginnings of comments', 'image/svg+xml', Buffer.from('<!-- -'.repeat(300_000))],
    ['attributes', 'image/svg+xml', svg('a="" '.repeat(400_000))],
    ['digits', 'image/svg+xml', svg(`width="${'9'.repeat(60_000)}" viewBox="${'0 '.repeat(2_000)}"`)],
  ])('two megabytes of %s', ([, type, bytes]) => expect(read(bytes, type)).toMatch(/^The /)) // oxfmt-ignore
})
