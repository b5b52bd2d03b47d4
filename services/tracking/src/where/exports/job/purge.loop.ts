import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db.ts'
import { deleteSome, listRemoved, removeExpired } from './purge.queries.ts'

type Options = {
  /** As the worker: sees the exports of all organizations. */
  across: Kysely<Tables>
  tenants: TenantDatabase<Tables>
  log: Logger
  registry?: Registry
}

const EVERY_MS = 5 * 60_000

/** Removes expired exports, and deletes the files of removed and of failed ones in small steps. */
export async function purgeExports(
  { across, tenants }: Pick<Options, 'across' | 'tenants'>,
  stopping?: AbortSignal,
): Promise<void> {
  await removeExpired(across)
  for (let removed = await listRemoved(across); removed.length > 0; removed = await listRemoved(across))
    for (const one of removed)
      while (await deleteSome(tenants.forOrg(one.org_id), one)) if (stopping?.aborted === true) return
}

/** Purges now, every five minutes, and when woken. */
export function startExportPurge(options: Options): BackgroundJob {
  const { log, registry } = options
  return startBackgroundJob({ name: 'export-purge', everyMs: EVERY_MS, log, registry }, (stopping) =>
    purgeExports(options, stopping),
  )
}
