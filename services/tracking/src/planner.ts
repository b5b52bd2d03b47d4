/**
 * How the planner weighs statements of this service. Every one is about one organization and is to read what belongs to
 * it: for one that holds most of a table, reading all of the table may look cheaper, and is what the other
 * organizations pay for. A request gets one core, so that a large report does not take those of ingest; and compiling a
 * statement takes longer than running any of ours.
 */
export const plannerSettings = {
  enable_seqscan: 'off',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
} as const
