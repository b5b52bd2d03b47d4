import {
  MAX_IMAGE_SIDE,
  imageTypes,
  type ImageType,
} from '@whereabouts/contracts/resources/catalog/floor-plans'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { fc } from '@whereabouts/testing/fuzz'
import { describe, expect, test } from 'vitest'
import { exif, jpeg, png, svg, webp } from '../../../../test/images.fixture.ts'
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
    ['a PNG of too many pixels', 'image/png', png(MAX_IMAGE_SIDE, 5_001), 'The image has 8000 × 5001 pixels. Make it at most 40 megapixels.'],
    ['a tall WebP', 'image/webp', webp.lossy(1, MAX_IMAGE_SIDE + 1), 'The image has 1 × 8001 pixels. Make it at most 8000 on each side.'],
  ])('%s', ([, type, bytes, why]) => expect(read(bytes, type)).toBe(why)) // oxfmt-ignore

  test('the largest size is accepted', () =>
    expect(read(png(MAX_IMAGE_SIDE, 5_000), 'image/png')).toBe('8000×5000'))
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

const drawing = (inside: string, before = '') =>
  Buffer.from(`${before}<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30">${inside}</svg>`)

describe('an SVG that could keep browsers busy, run or load is refused', () => {
  const levels = [1, 2, 3, 4, 5].map((n) => `<g id="l${n}">${`<use href="#l${n - 1}"/>`.repeat(10)}</g>`)
  test.for<[string, string, string]>([
    ['nested uses', `<rect id="l0"/>${levels.join('')}`, 'the element use'],
    ['a use with a prefix', '<s:use xmlns:s="http://www.w3.org/2000/svg" s:href="#a"/>', 'the element use'],
    ...['filter', 'feTurbulence', 'feImage', 'mask', 'pattern', 'clipPath', 'marker', 'textPath', 'animate', 'animateTransform', 'set', 'foreignObject', 'script'].map((name): [string, string, string] => [`a ${name}`, `<${name} />`, `the element ${name}`]),
    ['an image from elsewhere', '<image href="https://example.com/a.png"/>', 'the address in href of the element image'],
    ['an SVG as image', '<image xlink:href="data:image/svg+xml,a"/>', 'the address in href of the element image'],
    ['a link', "<a href = 'javascript:x'/>", 'the address in href of the element a'],
    ['a handler', '<g onload="x()"/>', 'the attribute onload of the element g'],
    ['a fill from elsewhere', '<g fill="url( \'https://example.com\')"/>', 'the style in fill of the element g'],
    ['a blur', '<g filter="blur(9px)"/>', 'the style in filter of the element g'],
    ['a blur in a style', '<g style="fill:red;filter/**/: blur(9px)"/>', 'the style in style of the element g'],
    ['a style that moves', '<g style="animation: a 1s infinite"/>', 'the style in style of the element g'],
    ['a style that loads', '<style>@import "https://example.com";</style>', 'this style'],
    ['a style in CDATA that moves', '<style><![CDATA[@keyframes a {}]]></style>', 'this style'],
    ['a style that is written otherwise', String.raw`<style>g { fill: \75rl(https://example.com) }</style>`, 'this style'],
  ])('%s', ([, inside, what]) =>
    expect(read(drawing(inside), 'image/svg+xml')).toBe(
      `The SVG has ${what}, which is not allowed. Export it without it, or as PNG.`,
    )) // oxfmt-ignore

  test.for<[string, Buffer, RegExp]>([
    ['of 20 001 elements', drawing('<g/>'.repeat(20_000)), /more than 20000 elements/],
    ['that is 101 deep', drawing(`${'<g>'.repeat(100)}${'</g>'.repeat(100)}`), /more than 100 deep/],
    ['with a style sheet', drawing('', '<?xml-stylesheet href="data:text/css,"?>'), /not a PNG|damaged/],
    ['in another encoding', drawing('', '<?xml version="1.0" encoding="utf-7"?>'), /encoding/],
    ['that ends early', drawing('<g a="'), /damaged/],
  ])('one %s', ([, bytes, why]) => expect(read(bytes, 'image/svg+xml')).toMatch(why))

  test('a drawing of shapes, texts, gradients and pictures is accepted', () => {
    const shapes = `<!-- <use/> --><defs><linearGradient id="a"><stop offset="1" style="stop-color:#fff"/></linearGradient>
      <style type="text/css"><![CDATA[.a { fill: url(#a); font-family: "Inter" }]]></style></defs>
      <metadata><rdf:RDF xmlns:rdf="r" rdf:about="https://example.com"/></metadata><a href="#a"><text style="font-family:&quot;Inter&quot;;marker:none;filter:none;clip-path:url(#c)" filter="none">a &amp; use</text></a>
      <path fill='url("#a")' class="a" d="M0 0"/><image xlink:href="data:image/png;base64,AA=="/>`
    const deep = `${'<g>'.repeat(95)}${shapes}${'</g>'.repeat(95)}`
    expect(read(drawing(deep + '<g/>'.repeat(19_000)), 'image/svg+xml')).toBe('40×30')
  })

  test.for<[string, Buffer]>([
    ['attributes', drawing(`<g ${'a="" '.repeat(380_000)}`)],
    ['beginnings of CDATA', drawing('<![CDATA[]'.repeat(200_000))],
    ['beginnings of elements', drawing('<g '.repeat(600_000))],
    ['url', drawing(`<g style="${'url( '.repeat(400_000)}"/>`)],
    ['spaces', drawing(`<g${' '.repeat(2_000_000)}`)],
  ])('two megabytes of %s', ([, bytes]) => expect(read(bytes, 'image/svg+xml')).toMatch(/^The /))
})
