import fc from 'fast-check'

/**
 * The seed of all random choices of tests: fixed for `npm test`, a new one for each `pnpm fuzz`, which prints it.
 * `WB_SEED` repeats a run.
 */
export const SEED = Number(process.env['WB_SEED'] ?? 20_261_122)

/** How many times as many cases `pnpm fuzz` tries. */
const FACTOR = Number(process.env['WB_FUZZ_RUNS'] ?? 1)

/** The limits of a property, from what `npm test` tries: a number of cases, and optionally the longest time for them. */
export const limits = (cases: number, mostMs?: number) => ({
  numRuns: cases * FACTOR,
  ...(mostMs !== undefined && { interruptAfterTimeLimit: mostMs * FACTOR }),
})

/** The timeout of a test with random cases: `pnpm fuzz` needs longer. */
export const timeLimit = (ms: number) => ms * FACTOR

fc.configureGlobal({ seed: SEED })
export { fc }
