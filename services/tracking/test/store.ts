import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { MetadataMatches } from '../src/rules/settings/metadata-matches.ts'
import { RuleBook } from '../src/rules/settings/rule-book.ts'
import type { Kysely } from 'kysely'
import type { Tables } from '../src/db.ts'
import type { Observation } from '../src/positions/observation.ts'
import { storeScans } from '../src/ingest/rows/store.ts'
import { withDays } from '../src/positions/partitions/missing-days.ts'
import { DEFAULT_RULES } from '../src/positions/rules.ts'
import type { CatalogView } from '../src/catalog/catalog-view.ts'

/** Without rules, unless the database has some. */
export const noRules = (db: Kysely<Tables>, view: CatalogView) =>
  new RuleBook({
    db,
    view,
    metadata: new MetadataMatches(() => ({ caughtUp: Promise.resolve(), stop: () => undefined })),
    zoneOf: () => 'UTC',
    log: createLogger('tracking', 'silent'),
  })

/** Stores observations like ingest, in one transaction. */
export const store = (db: Kysely<Tables>, view: CatalogView, observations: readonly Observation[]) =>
  withDays(
    db,
    observations.map(({ observedAtMs }) => observedAtMs),
    () =>
      db
        .transaction()
        .execute((tx) =>
          storeScans(tx, { view, rulesOf: () => DEFAULT_RULES, book: noRules(db, view) }, observations),
        ),
  )
