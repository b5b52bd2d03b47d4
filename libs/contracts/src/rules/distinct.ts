import { z } from 'zod'
import { addProblem } from './text.ts'

/** A list of some of these values, none of them twice. For requests. */
export const distinct = <const T extends string>(allowed: readonly T[]) =>
  z
    .array(z.enum(allowed))
    .max(allowed.length)
    .check((payload) => {
      if (new Set(payload.value).size < payload.value.length)
        addProblem(payload, { code: 'invalid_value', message: '{f} must not contain a value twice' })
    })
