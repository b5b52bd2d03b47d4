import { z } from 'zod'

/**
 * A text from a set that may grow. Parsers accept unknown values, so `z.enum`, which closes the set, is only for
 * requests. `about` is a sentence.
 */
export const openEnum = (known: readonly string[], about = '') =>
  z.string().meta({
    override: { type: 'string', 'x-extensible-enum': true },
    description: `${about} Known values: ${known.map((value) => `\`${value}\``).join(', ')}.`.trim(),
    ...(known[0] !== undefined && { example: known[0] }),
  })
