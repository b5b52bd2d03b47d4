import { decodeCanonical } from './canonical.ts'
import { decodeCsl } from './csl.ts'
import type { Decoder } from './decoder.ts'
import { decodeGlS10 } from './gl-s10.ts'
import { decodeImpinj } from './impinj.ts'
import { decodeKkm } from './kkm.ts'
import { decodeMapping } from './mapping.ts'
import { decodeMinew } from './minew.ts'
import { decodeMoko } from './moko.ts'
import { limited } from './limits.ts'
import { decodeZebra } from './zebra.ts'

/** The formats a reader may name in its subject. A new one is a file beside these and a line here. */
const decoders: ReadonlyMap<string, Decoder> = new Map([
  ['canonical', decodeCanonical],
  ['impinj', decodeImpinj],
  ['zebra', decodeZebra],
  ['csl', decodeCsl],
  ['moko', decodeMoko],
  ['minew', decodeMinew],
  ['gl-s10', decodeGlS10],
  ['kkm', decodeKkm],
  ['mapping', decodeMapping],
])

const limitedDecoders = new Map([...decoders].map(([format, decode]) => [format, limited(decode)]))

/** The decoder of a format within the limits of a message, or undefined when there is none of that name. */
export function decoderFor(format: string): Decoder | undefined {
  return limitedDecoders.get(format)
}
