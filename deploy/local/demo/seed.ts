import { type Api, createApi } from './api.ts'
import { demoFile, readDemo, writeDemo, type Demo } from './demo-file.ts'
import { openOrganization } from './organization.ts'
import { seedCatalog } from './seed-catalog.ts'
import { seedReaders } from './seed-readers.ts'
import { warehousePlan } from './warehouse.ts'

export type { Demo } from './demo-file.ts'

export type SeedOptions = {
  /** Without the API's prefix: `http://127.0.0.1:8080`. */
  baseUrl: string
  natsUrl: string
  mqttUrl: string
  /** `demo.json` is kept here. */
  dataDir: string
  /** A line for a person: what is being done, like `assets 240/500`. */
  onProgress?: (text: string) => void
  signal?: AbortSignal
}

/**
 * Sees to it that the demo organization exists and is complete, through the public API only. Safe to run again at any
 * point of an earlier, interrupted run: what is there stays, what is missing is made, what somebody deleted stays
 * deleted. Throws when a request fails for good, naming it.
 */
export async function seedDemo(options: SeedOptions): Promise<Demo> {
  const { baseUrl, natsUrl, mqttUrl, dataDir, onProgress = () => {}, signal } = options
  const api = createApi({ baseUrl, ...(signal && { signal }) })
  const kept = readDemo(demoFile(dataDir))
  const { session, ...organization } = await openOrganization({ api, dataDir, kept, onProgress })
  const demo: Demo = { base_url: baseUrl, nats_url: natsUrl, mqtt_url: mqttUrl, ...organization }
  // Before the data: whoever is interrupted from here on finds credentials that work, and completes the rest.
  if (JSON.stringify(kept) !== JSON.stringify(demo)) writeDemo(dataDir, demo)
  const plan = warehousePlan()
  const token = await integratorToken(api, demo)
  const places = await seedCatalog({ api, token, onProgress }, plan)
  await seedReaders({ api, token: session, onProgress }, plan.readers, places)
  return demo
}

async function integratorToken(api: Api, demo: Demo): Promise<string> {
  const body = { grant_type: 'client_credentials' as const, ...demo.api_key }
  return (await api('issueToken', { body })).access_token
}
