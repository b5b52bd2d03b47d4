import { api } from './boards/api.ts'
import { ingest } from './boards/ingest.ts'
import { overview } from './boards/overview.ts'
import { processes } from './boards/processes.ts'
import { stores } from './boards/stores.ts'
import { webhooks } from './boards/webhooks.ts'
import type { Board } from './grafana.ts'

/** One file each in dashboards/, written by generate.ts. */
export const boards: readonly Board[] = [overview, api, ingest, webhooks, stores, processes]
