import { assetState, locationState, tagState } from '@whereabouts/contracts/messages/catalog-state'
import {
  idsOfSubject,
  republishCatalogState,
  type RepublishReply,
} from '@whereabouts/contracts/messages/republish-state'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { RefusedError, respond, type Responder } from '@whereabouts/messaging/messages/request'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { sql, type Kysely, type SelectQueryBuilder } from 'kysely'
import { toAssetState } from '../assets/assets.views.ts'
import { assetColumns, locationColumns, type Tables, type Tx } from '../db.ts'
import { toLocationState } from '../locations/locations.views.ts'
import { tagColumns } from '../tags/tags.queries.ts'
import { toTagState } from '../tags/tags.views.ts'

/** Answers `rpc.catalog.republish-state`. One replica answers each request. */
export const serveRepublish = (broker: Broker, db: Kysely<Tables>, logger: Logger): Responder =>
  respond(
    broker,
    republishCatalogState.subject,
    'catalog-republish-state',
    async (payload) => republishState(db, payload),
    { logger },
  )

/** Publishes the stored state of a CATALOG subject again. Refuses malformed requests. */
export async function republishState(db: Kysely<Tables>, payload: unknown): Promise<RepublishReply> {
  const parsed = republishCatalogState.request.safeParse(payload)
  if (!parsed.success) throw new RefusedError('not a request for a state')
  const [, kind, ...rest] = parsed.data.subject.split('.')
  const [orgId, id] = idsOfSubject(rest, 2) ?? []
  if (kind === undefined || orgId === undefined || id === undefined) return { published: false }
  const published = await db.transaction().execute((tx) => publishOne(tx, kind, orgId, id))
  return { published: published > 0 }
}

async function publishOne(tx: Tx, kind: string, orgId: number, id: number): Promise<number> {
  if (kind === 'location') {
    const rows = await lockedRow(tx.selectFrom('location').select(locationColumns), orgId, id).execute()
    await enqueue(tx, locationState, rows.map(toLocationState))
    return rows.length
  }
  if (kind === 'asset') {
    const rows = await lockedRow(tx.selectFrom('asset').select(assetColumns), orgId, id).execute()
    await enqueue(tx, assetState, rows.map(toAssetState))
    return rows.length
  }
  if (kind !== 'tag') return 0
  const rows = await lockedRow(tx.selectFrom('tag').select(tagColumns), orgId, id).execute()
  await enqueue(tx, tagState, rows.map(toTagState))
  return rows.length
}

/** Locked until the state is in the outbox, so that no newer state is queued before it. */
const lockedRow = <T extends 'location' | 'asset' | 'tag', O>(
  rows: SelectQueryBuilder<Tables, T, O>,
  orgId: number,
  id: number,
): SelectQueryBuilder<Tables, T, O> => rows.where(sql<boolean>`org_id = ${orgId} and id = ${id}`).forShare()
