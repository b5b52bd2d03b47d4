import type { Decoded, Decoder } from './decoder.ts'

/** What one message may hold, in every format. A format of ours may say less, none may say more. */

/** The limit of the broker for readers; a decoder that is given more parses nothing. */
export const MAX_MESSAGE_BYTES = 256 * 1024
/** Five times what 256 KiB of any fixture hold, and less than the 40 000 of a batch. */
export const MAX_READS = 10_000
/** JSON texts of a message, which may be glued together. A read takes one at most. */
export const MAX_FRAMES = 10_000

/** Five of each read. A message of nothing but errors could hold a hundred thousand. */
export const MAX_COUNTED_ERRORS = 50_000

/** Thrown by a collector, and turned into the verdict on the whole message: nothing of it is used. */
export class Refusal extends Error {}

const tooLong = (bytes: number) => `the message is too long: ${bytes} bytes, at most ${MAX_MESSAGE_BYTES}`
export const tooManyReads = (reads: number | string, max: number) =>
  `too many reads: ${reads}, at most ${max} a message`
export const tooManyErrors = () => `too many errors: at most ${MAX_COUNTED_ERRORS} a message`
export const tooManyFrames = () => `too many JSON texts: at most ${MAX_FRAMES} a message`

/** A message of which nothing is used, because of its size. */
export const refused = (refusal: string): Decoded => ({
  identity: null,
  reads: [],
  health: [],
  errors: [],
  errors_omitted: 0,
  buried: true,
  refusal,
})

/** A decoder that keeps to the limits, whatever `decode` does. */
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
