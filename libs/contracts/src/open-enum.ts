import { z } from 'zod'

/**
 * Text of a set that may grow: readers let values pass that they do not know, so `z.enum`, which would close the set,
 * is for requests only. `about` is a sentence.
 */
export const openEnum = (known: readonly string[], about = '') =>
  z.string().meta({
    override: { type: 'string', 'x-extensible-enum': true },
    description: `${about} Known values: ${known.map((value) => `\`${value}\``).join(', ')}.`.trim(),
    ...(known[0] !== undefined && { example: known[0] }),
  })
