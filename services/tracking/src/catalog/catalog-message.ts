import { LocationPlace, TagState, TypedAsset } from '@whereabouts/contracts/messages/catalog-state'

export type CatalogMessage =
  | { kind: 'asset'; state: TypedAsset }
  | { kind: 'location'; state: LocationPlace }
  | { kind: 'tag'; state: TagState }

/** Reads the fields of a CATALOG message that tracking uses. Throws if it cannot. */
export function readCatalogMessage(subject: string, payload: unknown): CatalogMessage {
  const kind = subject.split('.', 2)[1]
  if (kind === 'asset') return { kind, state: TypedAsset.parse(payload) }
  if (kind === 'location') return { kind, state: LocationPlace.parse(payload) }
  if (kind === 'tag') return { kind, state: TagState.parse(payload) }
  throw new Error(`not a catalog subject: ${subject}`)
}
