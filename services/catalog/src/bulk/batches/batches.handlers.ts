import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import { Reply, type Context, type Handlers } from '@whereabouts/service-kit/http/serve'
import { mapInSlices } from '@whereabouts/service-kit/limits/slices'
import { runOnce, type LockName, type RunInTransaction } from '../../changes/transactions/transactions.ts'
import { PlanOutdated } from '../plan/writes.queries.ts'
import { numberOfKey } from '../../tags/external-keys/minted-keys.ts'
import { readItem, type Item } from './batch-items.ts'
import { saveBatch } from './save-batch.ts'

/** Another change may take a key or a tag between plan and write. More often than this in a row it does not. */
const MAX_ATTEMPTS = 5

export const batchHandlers = ({ runInTransaction }: { runInTransaction: RunInTransaction }) =>
  ({
    saveAssetBatch: (context) => save(runInTransaction, context, 'asset'),
    saveLocationBatch: (context) => save(runInTransaction, context, 'location'),
  }) satisfies Partial<Handlers<'catalog'>>

async function save(
  run: RunInTransaction,
  context: Context<'saveAssetBatch'> | Context<'saveLocationBatch'>,
  table: 'asset' | 'location',
) {
  const { principal, once, query, body } = context
  const items = await mapInSlices([...body.items.entries()], ([index, sent]) => readItem(table, sent, index))
  const options = { orgId: principal.orgId, table, mode: query.mode, dryRun: query.dry_run === true }
  for (let attempt = 1; ; attempt += 1)
    try {
      return await runOnce(
        run,
        { principal, once },
        async (tx) => new Reply({ data: await saveBatch(tx, options, items) }, {}),
        options.dryRun ? undefined : lockNameOf(table, items),
      )
    } catch (error) {
      if (!(error instanceof PlanOutdated)) throw error
      if (attempt === MAX_ATTEMPTS) throw serviceUnavailable(error)
    }
}

/** The advisory lock that the items need, so that others who need it wait without a connection. */
function lockNameOf(table: 'asset' | 'location', items: readonly Item[]): LockName | undefined {
  const rows = items.flatMap((item) => ('row' in item ? [item] : []))
  const movesTree = rows.some(
    ({ row, parentId }) => (parentId ?? row.fields.parent_external_key) !== undefined,
  )
  if (table === 'location' && movesTree) return 'location tree'
  return rows.some(({ row }) => numberOfKey(table, row.key) !== undefined) ? `${table} keys` : undefined
}
