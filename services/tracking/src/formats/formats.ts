import type { ReaderFormat } from '@whereabouts/contracts/resources/tracking/readers'
import { decodeCanonical } from './canonical.ts'
import { decodeCsl } from './vendors/csl.ts'
import type { Decoder } from './decoder.ts'
import { decodeGlS10 } from './vendors/gl-s10.ts'
import { decodeImpinj } from './vendors/impinj.ts'
import { decodeKkm } from './vendors/kkm.ts'
import { decodeMapping } from './mapping/mapping.ts'
import { decodeMinew } from './vendors/minew.ts'
import { decodeMoko } from './vendors/moko.ts'
import { limited } from './limits.ts'
import { decodeZebra } from './vendors/zebra.ts'

/** A decoder for each format of readers. */
const decoders = {
  canonical: decodeCanonical,
  impinj: decodeImpinj,
  zebra: decodeZebra,
  csl: decodeCsl,
  moko: decodeMoko,
  minew: decodeMinew,
  'gl-s10': decodeGlS10,
  kkm: decodeKkm,
  mapping: decodeMapping,
} satisfies Record<ReaderFormat, Decoder>

const limitedDecoders = new Map(Object.entries(decoders).map(([format, decode]) => [format, limited(decode)]))

/** The decoder of a format, with the limits of a message. Undefined for an unknown format. */
export function decoderFor(format: string): Decoder | undefined {
  return limitedDecoders.get(format)
}
