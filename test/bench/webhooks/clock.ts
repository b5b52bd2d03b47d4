/** Milliseconds of the machine's monotonic clock, shared by all processes. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6
