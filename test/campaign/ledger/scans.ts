import {
  instant,
  minuteOf,
  type AssetLedger,
  type Finding,
  type HistoryRow,
  type OrgFacts,
  type OrgLedger,
} from './ledger.ts'

/** A save takes effect after the newest row of its asset, which a fast clock may have put this far ahead. */
const SAVE_AHEAD_MS = 90_000
/** How far the clock of a service may be off in a round. */
const CLOCK_MS = 30_000

/** Compares the stored history and the report with what was acknowledged (D8). */
export function checkScans(ledger: OrgLedger, facts: OrgFacts): Finding[] {
  const own = [...ledger.assets.values()].flatMap((asset) => {
    const rows = facts.history.get(asset.id) ?? []
    return lostReads(asset, rows).concat(
      lostSaves(asset, rows),
      unexplained(asset, rows),
      report(asset, rows, facts),
    )
  })
  return [...own, ...foreign(ledger, facts)]
}

/** Each acknowledged read has a row of its minute. */
function lostReads(asset: AssetLedger, rows: readonly HistoryRow[]): Finding[] {
  const stored = new Set(rows.map((row) => minuteOf(row.observedAtMs)))
  return [...asset.sightings]
    .filter(([minute, { confirmed }]) => confirmed.size > 0 && !stored.has(minute))
    .map(([minute]) => ({
      kind: 'read lost',
      what: `${asset.key} has no row in ${instant(minute * 60_000)}, although the broker acknowledged a read`,
    }))
}

/** Each acknowledged save is a row at its location, at its instant or shortly after (ADR 20). */
function lostSaves(asset: AssetLedger, rows: readonly HistoryRow[]): Finding[] {
  return asset.saves
    .filter(
      ({ savedAtMs, locationId }) =>
        savedAtMs !== undefined &&
        !rows.some(
          (row) =>
            row.locationId === locationId &&
            row.observedAtMs >= savedAtMs &&
            row.observedAtMs <= savedAtMs + SAVE_AHEAD_MS,
        ),
    )
    .map(({ savedAtMs = 0, locationId }) => ({
      kind: 'save lost',
      what: `${asset.key} has no row of the save at location ${locationId}, answered with ${instant(savedAtMs)}`,
    }))
}

/** Each row has a cause, its minute is its own, and a minute has one row. */
function unexplained(asset: AssetLedger, rows: readonly HistoryRow[]): Finding[] {
  const minutes = new Set<number>()
  return rows.flatMap((row) => {
    const minute = minuteOf(row.observedAtMs)
    const at = `${asset.key} at ${instant(row.observedAtMs)}, location ${row.locationId}`
    if (minutes.has(minute)) return [{ kind: 'row twice', what: `a second row of a minute: ${at}` }]
    minutes.add(minute)
    return hasCause(asset, row, minute)
      ? []
      : [{ kind: 'row without a cause', what: `nobody sent this: ${at}` }]
  })
}

function hasCause(asset: AssetLedger, { locationId, observedAtMs }: HistoryRow, minute: number): boolean {
  if (locationId === null) return false
  const sighting = asset.sightings.get(minute)
  if (sighting?.confirmed.has(locationId) || sighting?.possible.has(locationId)) return true
  return asset.saves.some(
    (save) =>
      save.locationId === locationId &&
      observedAtMs >= save.sentAtMs - CLOCK_MS &&
      observedAtMs <= save.endedAtMs + SAVE_AHEAD_MS + CLOCK_MS,
  )
}

/** The report shows the newest row of the history. */
function report(asset: AssetLedger, rows: readonly HistoryRow[], facts: OrgFacts): Finding[] {
  const newest = rows.toSorted((a, b) => b.observedAtMs - a.observedAtMs)[0]
  const shown = facts.report.get(asset.id)
  if (newest?.observedAtMs === shown?.observedAtMs && newest?.locationId === shown?.locationId) return []
  const text = (row?: HistoryRow) =>
    row ? `location ${row.locationId} at ${instant(row.observedAtMs)}` : 'nothing'
  return [
    {
      kind: 'report differs from history',
      what: `${asset.key}: the report shows ${text(shown)}, the history ${text(newest)}`,
    },
  ]
}

const foreign = (ledger: OrgLedger, facts: OrgFacts): Finding[] =>
  [...facts.report.keys()]
    .filter((assetId) => !ledger.assets.has(assetId))
    .map((assetId) => ({
      kind: 'row of another organization',
      what: `the report of organization ${ledger.id} shows asset ${assetId}, which is not its own`,
    }))
