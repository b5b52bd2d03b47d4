import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import { deletePart, listRemoved, removeExpired } from './purge.queries.ts'

type Options = {
  /** As the worker: sees the imports of all organizations. */
  across: Kysely<Tables>
  tenants: TenantDatabase<Tables>
  log: Logger
  registry?: Registry
}

const EVERY_MS = 5 * 60_000

/** Removes expired imports, and deletes all removed ones in small parts. */
export async function purgeImports({ across, tenants }: Options, stopping?: AbortSignal): Promise<void> {
  await removeExpired(across)
  for (let removed = await listRemoved(across); removed.length > 0; removed = await listRemoved(across))
    for (const one of removed)
      while (await deletePart(tenants.forOrg(one.org_id), one)) if (stopping?.aborted === true) return
}

/** Purges now, every five minutes, and when woken. */
export function startImportPurge(options: Options): BackgroundJob {
  const { log, registry } = options
  return startBackgroundJob({ name: 'import-purge', everyMs: EVERY_MS, log, registry }, (stopping) =>
    purgeImports(options, stopping),
  )
}
