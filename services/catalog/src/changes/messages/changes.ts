import {
  catalogEvents,
  type CatalogEventData,
  type CatalogEventType,
} from '@whereabouts/contracts/messages/catalog-events'
import type { About } from '@whereabouts/contracts/messages/about'
import { assetState, locationState, tagState } from '@whereabouts/contracts/messages/catalog-state'
import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import type { LocationView } from '@whereabouts/contracts/resources/catalog/locations'
import { withEpc } from '@whereabouts/contracts/resources/catalog/tags'
import type { Changes } from '@whereabouts/contracts/resources/keys/audit'
import { audited, changesOf } from '@whereabouts/db/outbox/audit'
import { queued, type Queued } from '@whereabouts/db/outbox/outbox'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AssetRow, LocationRow, TagRow } from '../../db.ts'
import { toAssetState, toLocationState, toTagState } from './states.ts'

/**
 * The messages of each kind of change: the states for other services, and the event for the feed (D13.1). Every writer
 * queues what these return, with `enqueueChanges` in the transaction of the change.
 */

type Rows = { asset: AssetRow; location: LocationRow }
type Views = { asset: AssetView; location: LocationView }
type Kind = keyof Rows

/** The asset or location that has a tag. `type` is that of an asset. */
export type TagOwner = { kind: Kind; id: number; external_key: string; name: string; type: string | null }

const stateOf: { [K in Kind]: (row: Rows[K]) => Queued[] } = {
  asset: (row) => queued(assetState, [toAssetState(row)]),
  location: (row) => queued(locationState, [toLocationState(row)]),
}

const tagStates = (tags: readonly TagRow[]) => queued(tagState, tags.map(toTagState))

/** The event of a change. `about` is what filters look at. */
export const event = <T extends CatalogEventType>(
  type: T,
  org_id: number,
  occurred_at: string,
  data: CatalogEventData<T>,
  about?: About,
): Queued[] =>
  queued(catalogEvents[type], [
    { delivery_id: randomUUID(), org_id, occurred_at, data, ...(about && { about }) },
  ])

/** What filters look at (ADR 105). `enqueueChanges` adds what the location is in. */
const aboutThing = (kind: Kind, { id, type }: { id: number; type?: string | null }): About =>
  kind === 'location' ? { at: [id] } : type ? { asset_type: type } : {}

const typeOf = (row: AssetRow | LocationRow) => ('type' in row ? row.type : null)
const aboutRow = (kind: Kind, row: AssetRow | LocationRow) =>
  aboutThing(kind, { id: row.id, type: typeOf(row) })

/** `tags` are those that it was created with. They have no events of their own. */
export const created = <K extends Kind>(
  kind: K,
  row: Rows[K],
  view: Views[K],
  tags: readonly TagRow[],
): Queued[] => [
  ...stateOf[kind](row),
  ...tagStates(tags),
  ...event(`${kind}.created`, row.org_id, row.created_at, { [kind]: view } as never, aboutRow(kind, row)),
  ...acted(kind, 'create', row, changesOf(undefined, omit(view, NOT_WRITTEN))),
]

/** `before` has the stored fields, or all of the view. A change of nothing has neither event nor act. */
export const updated = <K extends Kind>(
  kind: K,
  row: Rows[K],
  view: Views[K],
  before: Readonly<Record<string, unknown>>,
): Queued[] => changedTo('update', { kind, row, view, before })

/** For others it is an update: the id is the old one. `tags` are those that came back with it. */
export const restored = <K extends Kind>(
  kind: K,
  row: Rows[K],
  view: Views[K],
  before: Readonly<Record<string, unknown>>,
  tags: readonly TagRow[],
): Queued[] => changedTo('restore', { kind, row, view, before, tags })

type Changed<K extends Kind> = {
  kind: K
  row: Rows[K]
  view: Views[K]
  before: Readonly<Record<string, unknown>>
  tags?: readonly TagRow[]
}

function changedTo<K extends Kind>(
  verb: 'update' | 'restore',
  { kind, row, view, before, tags = [] }: Changed<K>,
): Queued[] {
  const changed = changedFields(before, view)
  return [
    ...stateOf[kind](row),
    ...tagStates(tags),
    ...(changed.length === 0
      ? []
      : event(
          `${kind}.updated`,
          row.org_id,
          row.updated_at,
          { [kind]: view, changed } as never,
          aboutRow(kind, row),
        )),
    ...(changed.length === 0 && verb === 'update'
      ? []
      : acted(
          kind,
          verb,
          row,
          changesOf(
            before,
            pickNames(
              view,
              changed.filter((name) => name in before),
            ),
          ),
        )),
  ]
}

/** A location that is deleted matches no filter. */
const aboutDeleted = (kind: Kind, row: AssetRow | LocationRow) =>
  kind === 'location' ? undefined : aboutRow(kind, row)

/** `tags` are those that were deleted with it. They have no events of their own. */
export const deleted = <K extends Kind>(kind: K, row: Rows[K], tags: readonly TagRow[]): Queued[] => [
  ...stateOf[kind](row),
  ...tagStates(tags),
  ...event(
    `${kind}.deleted`,
    row.org_id,
    row.deleted_at ?? row.updated_at,
    { [kind]: named(row) } as never,
    aboutDeleted(kind, row),
  ),
  ...acted(kind, 'delete', row, changesOf({ name: row.name }, undefined)),
]

/** A tag that came to an owner that existed. */
export const attached = (tag: TagRow, owner: TagOwner): Queued[] => [
  ...tagStates([tag]),
  ...event('tag.attached', tag.org_id, tag.created_at, ofTag(tag, owner), aboutThing(owner.kind, owner)),
  ...actedOnTag('create', tag, changesOf(undefined, shownTag(tag, owner))),
]

/** A tag that left an owner that remains. */
export const detached = (tag: TagRow, owner: TagOwner): Queued[] => [
  ...tagStates([tag]),
  ...event(
    'tag.detached',
    tag.org_id,
    tag.deleted_at ?? tag.created_at,
    ofTag(tag, owner),
    aboutThing(owner.kind, owner),
  ),
  ...actedOnTag('delete', tag, changesOf(shownTag(tag, owner), undefined)),
]

/** For the audit, if a request made the change (D15.4). An import has one row of its own. */
const acted = (kind: Kind, verb: string, row: AssetRow | LocationRow, changes: Changes): Queued[] =>
  audited(row.org_id, [
    {
      action: `${kind}.${verb}`,
      subject: { type: kind, id: row.id, external_key: row.external_key },
      changes,
    },
  ])

const actedOnTag = (verb: string, { id, org_id }: TagRow, changes: Changes): Queued[] =>
  audited(org_id, [{ action: `tag.${verb}`, subject: { type: 'tag', id }, changes }])

const shownTag = ({ tag_type, value }: TagRow, { kind, external_key }: TagOwner) => ({
  tag_type,
  value,
  [kind]: external_key,
})

/** What the service chooses. */
const NOT_WRITTEN: readonly string[] = ['id', 'created_at', 'updated_at', 'deleted_at']

const omit = (view: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(view).filter(([name]) => !names.includes(name)))

const pickNames = (view: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(view).filter(([name]) => names.includes(name)))

const ofTag = ({ id, tag_type, value }: TagRow, owner: TagOwner) => ({
  tag: withEpc({ id, tag_type, value }),
  [owner.kind]: named(owner),
})

const named = ({ id, external_key, name }: { id: number; external_key: string; name: string }) => ({
  id,
  external_key,
  name,
})

/** The names of what `view` shows otherwise than `before`, sorted. A stored row lacks the key of its parent. */
function changedFields(before: Readonly<Record<string, unknown>>, view: Readonly<Record<string, unknown>>) {
  const differs = (name: string) => name in before && !isDeepStrictEqual(before[name], view[name])
  return Object.keys(view)
    .filter((name) => name !== 'updated_at' && differs(name in before ? name : (STANDS_FOR[name] ?? name)))
    .toSorted()
}

const STANDS_FOR: Readonly<Record<string, string>> = { parent_external_key: 'parent_id' }
