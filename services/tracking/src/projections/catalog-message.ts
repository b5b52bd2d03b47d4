import { AssetState, LocationState, TagState } from '@whereabouts/contracts/messages/catalog-state'

export type CatalogMessage =
  | { kind: 'asset'; state: AssetState }
  | { kind: 'location'; state: LocationState }
  | { kind: 'tag'; state: TagState }

/** Reads one message of the CATALOG stream. Throws when it is none. */
export function readCatalogMessage(subject: string, payload: unknown): CatalogMessage {
  const kind = subject.split('.', 2)[1]
  if (kind === 'asset') return { kind, state: AssetState.parse(payload) }
  if (kind === 'location') return { kind, state: LocationState.parse(payload) }
  if (kind === 'tag') return { kind, state: TagState.parse(payload) }
  throw new Error(`not a catalog subject: ${subject}`)
}
