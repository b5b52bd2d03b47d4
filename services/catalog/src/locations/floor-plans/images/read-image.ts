import {
  MAX_IMAGE_PIXELS,
  MAX_IMAGE_SIDE,
  type ImageType,
} from '@whereabouts/contracts/resources/catalog/floor-plans'
import { invalidImage } from '../../../errors.ts'
import { jpeg } from './jpeg.ts'
import { png } from './png.ts'
import type { Size } from './size.ts'
import { svg } from './svg.ts'
import { refusalOf } from './svg-content.ts'
import { webp } from './webp.ts'

const formats = [png, jpeg, webp, svg]

/**
 * The type and size of an image, from its first bytes; of an SVG also whether it may be stored. Never draws it. Rejected: `image-size` 2.1. It reads beyond the
 * end of a truncated PNG, and takes an `<svg>` in a comment for the root, which evades the limit. Throws `invalidImage`.
 */
export function readImage(bytes: Buffer, mediaType: string): Size & { media_type: ImageType } {
  const format = formats.find(({ isLike }) => isLike(bytes))
  if (!format)
    throw invalidImage('The file is not a PNG, JPEG, WebP or SVG image. Export it as one of these.')
  const { type } = format
  if (type !== mediaType)
    throw invalidImage(`The file is ${type}, but Content-Type is ${mediaType}. Send ${type} as Content-Type.`)
  const size = format.sizeOf(bytes)
  if (!size || size.width < 1 || size.height < 1)
    throw invalidImage(
      type === 'image/svg+xml'
        ? 'The SVG has no size. Give its root element a viewBox, or width and height in pixels.'
        : 'The image is damaged: its size cannot be read. Export it again.',
    )
  if (Math.max(size.width, size.height) > MAX_IMAGE_SIDE)
    throw invalidImage(
      `The image has ${size.width} × ${size.height} pixels. Make it at most ${MAX_IMAGE_SIDE} on each side.`,
    )
  if (type !== 'image/svg+xml' && size.width * size.height > MAX_IMAGE_PIXELS)
    throw invalidImage(
      `The image has ${size.width} × ${size.height} pixels. Make it at most ${MAX_IMAGE_PIXELS / 1e6} megapixels.`,
    )
  const refusal = type === 'image/svg+xml' ? refusalOf(bytes) : undefined
  if (refusal !== undefined) throw invalidImage(refusal)
  return { media_type: type, ...size }
}
