import type { ImageType } from '@whereabouts/contracts/resources/catalog/floor-plans'

/** In pixels, as a browser shows the image. */
export type Size = { width: number; height: number }

/** A kind of image. `sizeOf` returns undefined for bytes that are broken. It must not throw, nor take long. */
export type ImageFormat = {
  type: ImageType
  isLike: (bytes: Buffer) => boolean
  sizeOf: (bytes: Buffer) => Size | undefined
}
