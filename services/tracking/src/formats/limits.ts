import { MAX_MESSAGE_BYTES } from '@whereabouts/contracts/resources/tracking/scans'
import type { Decoded, Decoder } from './decoder.ts'

/** The limits of one message, in every format. A format may have lower ones. */

/** Five times the reads in 256 KiB of any fixture, and less than the 40 000 of a batch. */
export const MAX_READS = 10_000
/** JSON values of a message, which may be glued together. A read takes at most one. */
export const MAX_FRAMES = 10_000

/** Five per read. A message of errors alone could have a hundred thousand. */
export const MAX_COUNTED_ERRORS = 50_000

/** Thrown by a collector for a message that is too large. `limited` turns it into a dead letter. */
export class Refusal extends Error {}

const tooLong = (bytes: number) => `the message is too long: ${bytes} bytes, at most ${MAX_MESSAGE_BYTES}`
export const tooManyReads = (reads: number | string, max: number) =>
  `too many reads: ${reads}, at most ${max} a message`
export const tooManyErrors = () => `too many errors: at most ${MAX_COUNTED_ERRORS} a message`
export const tooManyFrames = () => `too many JSON texts: at most ${MAX_FRAMES} a message`

/** The result for a message that is too large. */
export const refused = (refusal: string): Decoded => ({
  identity: null,
  reads: [],
  health: [],
  errors: [],
  errors_omitted: 0,
  isDeadLetter: true,
  refusal,
})

/** `decode` with the limits of a message. */
export const limited =
  (decode: Decoder): Decoder =>
  (bytes, context) => {
    if (bytes.length > MAX_MESSAGE_BYTES) return refused(tooLong(bytes.length))
    try {
      const decoded = decode(bytes, context)
      const reads = decoded.reads.length
      return reads > MAX_READS ? refused(tooManyReads(reads, MAX_READS)) : decoded
    } catch (error) {
      if (error instanceof Refusal) return refused(error.message)
      throw error
    }
  }
