import { createApi } from './api.ts'
import { demoFile, readDemo, writeDemo, type Demo } from './demo-file.ts'
import { openOrganization } from './organization.ts'
import { seedCatalog } from './seed-catalog.ts'
import { seedFloor } from './seed-floor.ts'
import { seedReaders } from './seed-readers.ts'
import { warehousePlan } from './warehouse.ts'

export type { Demo } from './demo-file.ts'

export type SeedOptions = {
  /** Without the API's prefix: `http://127.0.0.1:8080`. */
  baseUrl: string
  natsUrl: string
  mqttUrl: string
  mailUrl: string
  /** `demo.json` is kept here. */
  dataDir: string
  /** Called with lines for the user, such as `assets 240/500`. */
  onProgress?: (text: string) => void
  signal?: AbortSignal
}

/**
 * Completes the demo organization through the public API. Safe to repeat, also after an interrupted run: existing
 * objects stay, missing ones are created, deleted ones stay deleted. Rejects with the name of a request that keeps
 * failing.
 */
export async function seedDemo(options: SeedOptions): Promise<Demo> {
  const { baseUrl, natsUrl, mqttUrl, mailUrl, dataDir, onProgress = () => {}, signal } = options
  const api = createApi({ baseUrl, ...(signal && { signal }) })
  const kept = readDemo(demoFile(dataDir))
  const { session, ...organization } = await openOrganization({ api, dataDir, kept, onProgress })
  const demo: Demo = {
    base_url: baseUrl,
    nats_url: natsUrl,
    mqtt_url: mqttUrl,
    mail_url: mailUrl,
    ...organization,
  }
  // Before the data: after an interruption from here on, the next start has working credentials.
  if (JSON.stringify(kept) !== JSON.stringify(demo)) writeDemo(dataDir, demo)
  const plan = warehousePlan()
  const context = { api, token: session, onProgress }
  const places = await seedCatalog(context, plan)
  await seedReaders(context, plan.readers, places)
  await seedFloor(context)
  return demo
}
