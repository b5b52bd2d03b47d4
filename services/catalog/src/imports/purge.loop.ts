import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import { timedWork } from '@whereabouts/service-kit/timed-work'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import { deletePart, listRemoved, removeExpired } from './purge.queries.ts'

type Options = {
  /** As the worker: sees the imports of all organizations. */
  across: Kysely<Tables>
  tenants: TenantDatabase<Tables>
  log: Logger
  registry?: Registry
}

const EVERY_MS = 5 * 60_000

/** Removes what has had its time, and deletes what was removed; in small parts, whatever their number. */
export async function purgeImports({ across, tenants }: Options, stopping?: AbortSignal): Promise<void> {
  await removeExpired(across)
  for (let removed = await listRemoved(across); removed.length > 0; removed = await listRemoved(across))
    for (const one of removed)
      while (await deletePart(tenants.forOrg(one.org_id), one)) if (stopping?.aborted === true) return
}

/** Purges every five minutes and when it is woken; a failure is logged, and the next round goes on from there. */
export function startImportPurge(options: Options): { wake(): void; stop(): Promise<void> } {
  const stopping = new AbortController()
  const measured = timedWork(options.registry, 'import-purge', EVERY_MS)
  let running: Promise<void> | undefined
  let again = false
  const wake = () => {
    again = true
    running ??= run().finally(() => (running = undefined))
  }
  async function run(): Promise<void> {
    while (again && !stopping.signal.aborted) {
      again = false
      await purgeImports(options, stopping.signal).then(measured.done, (error: unknown) => {
        measured.failed()
        options.log.warn({ err: error }, 'import purge failed')
      })
    }
  }
  const timer = setInterval(wake, EVERY_MS)
  return {
    wake,
    stop: async () => {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}
