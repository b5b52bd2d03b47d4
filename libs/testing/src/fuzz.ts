import fc from 'fast-check'

/**
 * The seed of all random choices in tests. It is fixed for `npm test`; `pnpm fuzz` chooses a new one and prints it.
 * `WB_SEED` repeats a run.
 */
export const SEED = Number(process.env['WB_SEED'] ?? 20_261_122)

/** `pnpm fuzz` runs this many times as many cases. */
const FACTOR = Number(process.env['WB_FUZZ_RUNS'] ?? 1)

/** Limits of a property. `cases` and the optional `mostMs` are those of `npm test`. */
export const limits = (cases: number, mostMs?: number) => ({
  numRuns: cases * FACTOR,
  ...(mostMs !== undefined && { interruptAfterTimeLimit: mostMs * FACTOR }),
})

/** The timeout of a test with random cases: `pnpm fuzz` needs longer. */
export const timeLimit = (ms: number) => ms * FACTOR

fc.configureGlobal({ seed: SEED })
export { fc }
