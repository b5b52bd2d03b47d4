import { unwrap, type Client, type components } from './client.ts'

type Schemas = components['schemas']
/** What an asset shall be. What is left out stays as it is; `tags`, if there, are all of its tags. */
export type AssetItem = Schemas['AssetBatchItem']
export type LocationItem = Schemas['LocationBatchItem']
type Kind = 'assets' | 'locations'

export type SyncOptions = {
  /** Says what would happen, and changes nothing. */
  dryRun?: boolean
  /** `create` fails what exists, `update` what does not. Default `upsert`. */
  mode?: 'upsert' | 'create' | 'update'
  /** Called for each item, in order: for progress, and to keep what failed. */
  onResult?: (result: SyncResult) => void
  signal?: AbortSignal
}

/** `retire`: also ends what is valid now and not among the items (`valid_to` is set), up to `atMost` of them. */
export type AssetSyncOptions = SyncOptions & { retire?: { atMost: number } }

export type SyncResult = {
  external_key: string
  status: 'created' | 'updated' | 'unchanged' | 'failed' | 'retired'
  /** Null for what failed, and for what a dry run would create. */
  id: number | null
  error: Schemas['BatchItemError'] | null
}

export type SyncReport = {
  created: number
  updated: number
  unchanged: number
  failed: number
  retired: number
  /** The first hundred. `onResult` has all. */
  failures: SyncResult[]
}

/** Of one request. */
const MOST = { items: 500, characters: 250_000 }
const MOST_FAILURES = 100
const PAGE = 200

/**
 * Makes assets or locations what `items` say, by key, up to 500 in a request that the rate of a key does not count. The API
 * compares, so what is equal is not changed, and a repeat after a crash does what is left. An item that fails, also because an earlier one
 * has its key, fails no other. With `retire`, nothing is ended unless all items succeeded. Throws `ApiError`.
 */
export async function sync<Item extends { external_key: string }>(
  api: Client,
  kind: Kind,
  items: Iterable<Item> | AsyncIterable<Item>,
  { dryRun = false, mode = 'upsert', onResult, signal, retire }: AssetSyncOptions = {},
): Promise<SyncReport> {
  const report: SyncReport = { created: 0, updated: 0, unchanged: 0, failed: 0, retired: 0, failures: [] }
  const seen = new Set<string>()
  const add = (result: SyncResult) => {
    report[result.status] += 1
    if (result.status === 'failed' && report.failures.length < MOST_FAILURES) report.failures.push(result)
    onResult?.(result)
  }
  const save = async (batch: readonly Item[], how: typeof mode, saved?: 'retired') => {
    for (const [i, result] of (await sendBatch(api, kind, batch, { how, dryRun, signal })).entries()) {
      const status = result.status === 'failed' ? 'failed' : (saved ?? (result.status as SyncResult['status']))
      add({ ...result, external_key: batch[i]?.external_key ?? '', status })
    }
  }
  for await (const batch of batchesOf(items)) {
    signal?.throwIfAborted()
    const again = batch.filter(({ external_key: key }) => seen.has(key))
    for (const { external_key } of batch) seen.add(external_key)
    await save(batch.filter((item) => !again.includes(item)), mode)
    for (const { external_key } of again) add({ external_key, status: 'failed', id: null, error: TWICE })
  }
  if (!retire || kind === 'locations') return report
  if (report.failed > 0) throw new Error(`${report.failed} items failed, so nothing was retired.`)
  const missing = await missingKeys(api, seen, signal)
  if (missing.length > retire.atMost || (seen.size === 0 && missing.length > 0))
    throw new Error(`${missing.length} assets are not among the ${seen.size} items, more than the ${retire.atMost} that may be retired.`)
  const valid_to = new Date().toISOString()
  for await (const batch of batchesOf(missing.map((external_key) => ({ external_key, valid_to }))))
    await save(batch as unknown as Item[], 'update', 'retired')
  return report
} // oxfmt-ignore

const TWICE = { type: 'conflict', detail: 'an earlier item has this external_key' } as const

type Sending = { how: 'upsert' | 'create' | 'update'; dryRun: boolean; signal: AbortSignal | undefined }

async function sendBatch(
  api: Client,
  kind: Kind,
  items: readonly object[],
  { how, dryRun, signal }: Sending,
): Promise<Schemas['BatchResult'][]> {
  if (items.length === 0) return []
  const query = { mode: how, ...(dryRun && { dry_run: true }) }
  const init = { params: { query }, body: { items: items as never[] }, ...(signal && { signal }) }
  return kind === 'assets'
    ? unwrap(await api.POST('/api/v1/assets/batch', init)).data
    : unwrap(await api.POST('/api/v1/locations/batch', init)).data
}

/** A request has 1 MiB at most. A character has four bytes at most. */
async function* batchesOf<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = []
  let characters = 0
  for await (const item of items) {
    const length = JSON.stringify(item).length
    if (batch.length === MOST.items || (batch.length > 0 && characters + length > MOST.characters)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(item)
    characters += length
  }
  if (batch.length > 0) yield batch
}

/** Of assets that are valid now. */
async function missingKeys(api: Client, seen: ReadonlySet<string>, signal?: AbortSignal): Promise<string[]> {
  const missing: string[] = []
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const params = { query: { sort: 'external_key', limit: PAGE, offset } }
    const page = unwrap(await api.GET('/api/v1/assets', { params, ...(signal && { signal }) }))
    total = page.total_count
    const keys: string[] = page.data.map((row: { external_key: string }) => row.external_key)
    missing.push(...keys.filter((key) => !seen.has(key)))
  }
  return missing
}
