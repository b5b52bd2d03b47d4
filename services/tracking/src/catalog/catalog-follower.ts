import type { TypedAsset } from '@whereabouts/contracts/messages/catalog-state'
import { republishCatalogState } from '@whereabouts/contracts/messages/republish-state'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { followStream, type Follower } from '@whereabouts/messaging/state/follow'
import type { StateMetrics } from '@whereabouts/messaging/state/unreadable-states'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { readCatalogMessage } from './catalog-message.ts'
import type { CatalogView } from './catalog-view.ts'

/**
 * Fills the view from the whole CATALOG stream and keeps it up to date. Ingest waits until it has caught up. An
 * unreadable state changes nothing, and catalog is asked to publish it again.
 */
export function followCatalog(
  broker: Broker,
  view: CatalogView,
  log: Logger,
  stateMetrics?: StateMetrics,
): Follower {
  return followStream(broker, {
    stream: 'CATALOG',
    logger: log,
    owner: republishCatalogState.subject,
    stateMetrics,
    onReset: () => view.clear(),
    onState: (subject, payload) => {
      const message = readCatalogMessage(subject, payload)
      if (message.kind === 'asset') view.applyAsset(message.state)
      else if (message.kind === 'location') view.applyLocation(message.state)
      else view.applyTag(message.state)
    },
  })
}

type OfOrganization = {
  orgId: number
  log: Logger
  onState: (state: TypedAsset) => void
  onReset: () => void
}

/** Reads the states of all assets of an organization, and then each change. */
export function followAssetsOf(broker: Broker, { orgId, log, onState, onReset }: OfOrganization): Follower {
  return followStream(broker, {
    stream: 'CATALOG',
    filter: `catalog.asset.${orgId}.*`,
    logger: log,
    onReset,
    onState: (subject, payload) => {
      const message = readCatalogMessage(subject, payload)
      if (message.kind === 'asset') onState(message.state)
    },
  })
}
