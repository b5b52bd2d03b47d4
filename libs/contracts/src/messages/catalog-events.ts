import { z } from 'zod'
import { AssetView } from '../resources/catalog/assets.ts'
import { ImportView } from '../resources/catalog/imports.ts'
import { LocationView } from '../resources/catalog/locations.ts'
import { TagView } from '../resources/catalog/tags.ts'
import { Id } from '../rules/ids.ts'
import { About } from './about.ts'
import { defineMessage, type Message } from './message.ts'

/** Which asset or location an event is about, if that is not in it whole. */
const Named = z.object({ id: Id, external_key: z.string(), name: z.string() }).meta({ id: 'EventOwner' })

/** Sorted, without `updated_at`. */
const changed = z.array(z.string())

const owner = { asset: Named.optional(), location: Named.optional() }

/** `data` of each event of catalog (D13.1). Of a tag, exactly one of `asset` and `location` is there. */
export const catalogEventData = {
  'asset.created': z.object({ asset: AssetView }).meta({ id: 'AssetCreatedData' }),
  'asset.updated': z.object({ asset: AssetView, changed }).meta({ id: 'AssetUpdatedData' }),
  'asset.deleted': z.object({ asset: Named }).meta({ id: 'AssetDeletedData' }),
  'location.created': z.object({ location: LocationView }).meta({ id: 'LocationCreatedData' }),
  'location.updated': z.object({ location: LocationView, changed }).meta({ id: 'LocationUpdatedData' }),
  'location.deleted': z.object({ location: Named }).meta({ id: 'LocationDeletedData' }),
  'tag.attached': z.object({ tag: TagView, ...owner }).meta({ id: 'TagAttachedData' }),
  'tag.detached': z.object({ tag: TagView, ...owner }).meta({ id: 'TagDetachedData' }),
  'import.finished': z.object({ import: ImportView }).meta({ id: 'ImportFinishedData' }),
} as const
export type CatalogEventType = keyof typeof catalogEventData
export type CatalogEventData<T extends CatalogEventType> = z.infer<(typeof catalogEventData)[T]>

/** Who reads it passes `data` on as it is: another release may have made it. */
const CatalogEvent = z.object({
  delivery_id: z.guid(),
  org_id: z.int(),
  occurred_at: z.string(),
  data: z.looseObject({}),
  about: About.optional(),
})
export type CatalogEvent = z.infer<typeof CatalogEvent>

/** The message of each event of catalog, on EVENTS. */
export const catalogEvents = Object.fromEntries(
  Object.keys(catalogEventData).map((type) => [
    type,
    defineMessage({
      name: type.replace('.', ' '),
      schema: CatalogEvent,
      keep: 'all',
      subject: (m) => `events.${type.replace('.', '-')}.${m.org_id}`,
      messageId: (m) => m.delivery_id,
    }),
  ]),
) as Record<CatalogEventType, Message<typeof CatalogEvent>>
