import { decodeCanonical } from './canonical.ts'
import type { Decoder } from './decoder.ts'
import { decodeImpinj } from './impinj.ts'
import { decodeZebra } from './zebra.ts'

/** The formats a reader may name in its subject. A new one is a file beside these and a line here. */
const decoders: ReadonlyMap<string, Decoder> = new Map([
  ['canonical', decodeCanonical],
  ['impinj', decodeImpinj],
  ['zebra', decodeZebra],
])

/** The decoder of a format, or undefined when there is none of that name. */
export function decoderFor(format: string): Decoder | undefined {
  return decoders.get(format)
}
