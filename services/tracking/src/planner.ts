/**
 * How the planner weighs statements of this service. Every one is about one organization and is to read what belongs to
 * it: for one that holds most of a table, reading all of the table may look cheaper, and is what the other
 * organizations pay for. A request gets one core, so that a large report does not take those of ingest; and compiling a
 * statement takes longer than running any of ours. What reports count is in memory or on a disk without a head to move:
 * with the price of a moving head an index that holds all that is asked for loses against one that sends to the table.
 */
export const plannerSettings = {
  enable_seqscan: 'off',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  random_page_cost: '1.1',
} as const
