/**
 * Settings of PostgreSQL's planner. Every statement reads the rows of one organization. If that organization has most
 * rows of a table, the planner would read the whole table: then the request pays for the rows of the others. A
 * request gets one core, because a large report must not take those of ingest. Most statements run for milliseconds,
 * less than it takes to compile one.
 */
export const plannerSettings = {
  enable_seqscan: 'off',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
} as const
