import type { Decoded, NeutralRead } from '../formats/decoder.ts'
import type { CatalogResolver } from '../projections/catalog-resolver.ts'
import type { CatalogView, KnownLocation, TagMatch } from '../projections/catalog-view.ts'
import type { KnownTag } from '../projections/tag-index.ts'
import { isJudging, type PlacementRules } from '../positions/rules.ts'
import { strongestFirst } from '../positions/strongest-first.ts'
import type { AntennaAssignment, ReaderDirectory, ScanPointStrength } from '../readers/reader-directory.ts'
import type { ReaderHealthLog, ReaderActivity } from '../readers/reader-health.ts'
import { addSignal, type Signals } from '../readers/reader-hours.ts'
import type { UnknownTagLog, UnknownTagRead } from '../unknown-tags/unknown-tag-log.ts'
import { minuteOf, observedAt, type Observation } from './observation.ts'
import { problemMessage, problemsOf, shownPointer, unknownLocation } from '../readers/problem-message.ts'
import type { ReaderMessage } from './reader-message.ts'
import type { RecentMinutes } from './recent-minutes.ts'

export type ResolveDeps = {
  view: CatalogView
  directory: ReaderDirectory
  resolver: CatalogResolver
  recent: RecentMinutes
}

/** The content of a batch. Activity and unknown tags go to their logs only after the rows are stored. */
export type Resolved = {
  /** Reads whose asset and location are known. */
  observed: number
  /** Of these, the reads whose row is not known to be stored. Most reads repeat one that is. */
  observations: Observation[]
  activity: { orgId: number; readerKey: string; activity: ReaderActivity }[]
  /** Reads of tags that catalog does not know either. */
  unknownTags: { orgId: number; read: UnknownTagRead }[]
}

type Tag = { tag_type: string; value: string }
type Missing = { tags: Map<string, Tag>; locationKeys: Set<string>; locationIds: Set<number> }

/**
 * Turns reads into observations, in the order of arrival: reader and antenna to location, tag to asset. Asks catalog
 * once, for all reads of the batch, for what the view does not know. Throws CatalogUnavailable.
 */
export async function resolve(
  messages: readonly ReaderMessage[],
  deps: ResolveDeps,
  signal: AbortSignal,
): Promise<Resolved> {
  const { resolved, missing } = resolveFromView(messages, deps)
  if (missing.size === 0) return resolved
  await Promise.all(
    [...missing].map(([orgId, ofOrg]) =>
      deps.resolver.resolve(orgId, { ...ofOrg, tags: ofOrg.tags.values() }, signal),
    ),
  )
  return resolveFromView(messages, deps).resolved // all, because the view may have changed
}

/** One pass over the reads. Most repeat a stored row, so nothing is kept per read until that is known. */
function resolveFromView(messages: readonly ReaderMessage[], deps: ResolveDeps) {
  const resolved: Resolved = { observed: 0, observations: [], activity: [], unknownTags: [] }
  const missing = new Map<number, Missing>()
  for (const message of messages) resolveMessage(message, deps, resolved, missing)
  return { resolved, missing }
}

/** What a read would become. `asset` and `place` as ingest finds them. */
export type FoundRead = { read: NeutralRead; asset: TagMatch; place: Place; isTooWeak: boolean }

/** What ingest would make of the reads of a message, in their order. Stores nothing. Throws CatalogUnavailable. */
export async function findReads(
  message: Pick<ReaderMessage, 'orgId' | 'readerKey' | 'decoded'>,
  deps: Omit<ResolveDeps, 'recent'>,
): Promise<FoundRead[]> {
  const { orgId, decoded } = message
  const find = () => {
    const placeOf = placesOf(message, deps)
    const rules = deps.directory.rules(orgId)
    return decoded.reads.map((read) => {
      const asset = deps.view.assetOfTag(findTag(deps.view, orgId, read))
      const place = placeOf(read)
      return { read, asset, place, isTooWeak: strengthOf(read, place, rules).isTooWeak }
    })
  }
  const missing = new Map<number, Missing>()
  const found = find()
  for (const { read, asset: match, place } of found)
    if (match === undefined || place.location === undefined)
      noteMissing(message, read, { match, place }, deps, missing)
  const ofOrg = missing.get(orgId)
  if (!ofOrg) return found
  await deps.resolver.resolve(orgId, { ...ofOrg, tags: ofOrg.tags.values() })
  return find()
}

const NOWHERE: Place = { scanPointId: null, location: null }

type Logs = { health: ReaderHealthLog; unknownTags: UnknownTagLog }

export function recordReaderActivity({ health, unknownTags }: Logs, resolved: Resolved): void {
  for (const { orgId, readerKey, activity } of resolved.activity) health.note(orgId, readerKey, activity)
  for (const { orgId, read } of resolved.unknownTags) unknownTags.note(orgId, read)
}

/**
 * Where a read was. `scanPointId` is null if the read has a location key, which wins (D8.8), or if its antenna is
 * unassigned. `location` is undefined for a location that is named but unknown.
 */
export type Place = {
  scanPointId: number | null
  location: KnownLocation | null | undefined
  /** Of the scan point. */
  strength?: ScanPointStrength
}

/** Finds the places of the reads of a message. Most messages are from one antenna or a few. */
function placesOf(
  { orgId, readerKey }: Pick<ReaderMessage, 'orgId' | 'readerKey'>,
  { view, directory }: Pick<ResolveDeps, 'view' | 'directory'>,
) {
  const antennas = new Map<number, Place>()
  return ({ antenna, extra }: NeutralRead): Place => {
    if (extra?.location !== undefined)
      return { scanPointId: null, location: view.locationByKey(orgId, extra.location) }
    if (extra?.antenna_unusable) return NOWHERE
    let place = antennas.get(antenna)
    if (place === undefined) {
      place = findPlace(directory.assignment(orgId, readerKey, antenna), orgId, view)
      antennas.set(antenna, place)
    }
    return place
  }
}

function findPlace(assignment: AntennaAssignment, orgId: number, view: CatalogView): Place {
  if (!assignment.isAssigned) return NOWHERE
  const { scanPointId, locationId, strength } = assignment
  return { scanPointId, strength, location: locationId === null ? null : view.location(orgId, locationId) }
}

/** What a read says about its strength, in dBm as corrected by its scan point (D18.7 a). */
function strengthOf(
  { rssi_dbm, tag_type }: NeutralRead,
  { strength }: Place,
  { tagTypes, minRssiDbm }: PlacementRules,
): { rssi: number | null; isTooWeak: boolean } {
  if (rssi_dbm === null) return { rssi: null, isTooWeak: false }
  const rssi = rssi_dbm + (strength?.rssiOffsetDb ?? 0)
  const least = strength?.minRssiDbm ?? (tagTypes.includes(tag_type) ? minRssiDbm : null)
  return { rssi, isTooWeak: least !== null && rssi < least }
}

/** Whether all reads are of one antenna, or name one location. Nearly all messages are. */
function isOfOnePlace([first, ...others]: readonly NeutralRead[]): boolean {
  return others.every(
    ({ antenna, extra }) => antenna === first?.antenna && extra?.location === first.extra?.location,
  )
}

/** Notes what catalog has to be asked for this read. */
function noteMissing(
  { orgId, readerKey }: Pick<ReaderMessage, 'orgId' | 'readerKey'>,
  read: NeutralRead,
  { match, place }: { match: TagMatch; place: Place },
  { directory }: Pick<ResolveDeps, 'directory'>,
  missing: Map<number, Missing>,
): void {
  const ofOrg = missing.get(orgId) ?? nothingMissing()
  missing.set(orgId, ofOrg)
  if (match === undefined) for (const tag of tagsOf(read)) ofOrg.tags.set(`${tag.tag_type} ${tag.value}`, tag)
  if (place.location === undefined)
    addLocation(ofOrg, read, directory.assignment(orgId, readerKey, read.antenna))
}

const nothingMissing = (): Missing => ({ tags: new Map(), locationKeys: new Set(), locationIds: new Set() })

/** The location that the read names, by its key or by its scan point. */
function addLocation(missing: Missing, { extra }: NeutralRead, assignment: AntennaAssignment): void {
  if (extra?.location !== undefined) missing.locationKeys.add(extra.location)
  else if (assignment.isAssigned && assignment.locationId !== null)
    missing.locationIds.add(assignment.locationId)
}

/** The address first, then the iBeacon identity, under which a tag with a rotating address is registered (D6.5). */
function tagsOf(read: NeutralRead): Tag[] {
  const tag = { tag_type: read.tag_type, value: read.tag_value }
  const beacon = read.extra?.ibeacon
  if (!beacon) return [tag]
  return [tag, { tag_type: 'ble', value: `${beacon.uuid}/${beacon.major}/${beacon.minor}` }]
}

/** The tag of the first identity that catalog knows. */
function findTag(view: CatalogView, orgId: number, read: NeutralRead): KnownTag | undefined {
  if (!read.extra?.ibeacon) return view.findTag(orgId, read.tag_type, read.tag_value)
  for (const { tag_type, value } of tagsOf(read)) {
    const tag = view.findTag(orgId, tag_type, value)
    if (view.assetOfTag(tag) !== undefined) return tag
  }
  return undefined
}

function resolveMessage(
  message: ReaderMessage,
  deps: ResolveDeps,
  into: Resolved,
  missing: Map<number, Missing>,
): void {
  const { view, directory, recent } = deps
  const { orgId, readerKey, receivedAtMs, decoded } = message
  const signals: Signals = new Map()
  const activity = {
    seenAtMs: receivedAtMs,
    identity: decoded.identity,
    messages: 1,
    reads: decoded.reads.length,
    read_errors: decoded.errors.length + decoded.errors_omitted,
    reads_unknown_tag: 0,
    reads_unplaced: 0,
    reads_too_weak: 0,
    reads_clock_skewed: 0,
    newestMs: newestTime(decoded),
    health: decoded.health,
    signals,
  }
  let unknownKey: string | undefined
  const placeOf = placesOf(message, deps)
  const rules = directory.rules(orgId)
  const judges = isJudging(rules)
  /** Of a message with several antennas: one of them may hear the tags of another. */
  const seen: Observation[] | undefined = isOfOnePlace(decoded.reads) ? undefined : []
  for (const read of decoded.reads) {
    addSignal(signals, read)
    const time = observedAt(read.read_at_ms, receivedAtMs)
    if (time.skewed) activity.reads_clock_skewed += 1
    const tag = findTag(view, orgId, read)
    const asset = view.assetOfTag(tag)
    const place = placeOf(read)
    if (asset === undefined || place.location === undefined)
      noteMissing(message, read, { match: asset, place }, deps, missing)
    const locationId = locationIdOf(read, place)
    if (asset === undefined)
      into.unknownTags.push({ orgId, read: { ...read, reader: readerKey, received_at_ms: receivedAtMs } })
    if (!asset) activity.reads_unknown_tag += 1
    if (locationId === undefined) {
      activity.reads_unplaced += 1
      unknownKey ??= read.extra?.location
    }
    if (!asset || locationId === undefined) continue
    const { rssi, isTooWeak } = strengthOf(read, place, rules)
    if (isTooWeak) {
      activity.reads_too_weak += 1
      continue
    }
    into.observed += 1
    const found = { assetId: asset.id, minute: minuteOf(time.ms), observedAtMs: time.ms, locationId, rssi }
    if (seen === undefined && recent.isStored(found, judges)) continue
    const observation = {
      orgId,
      ...found,
      isJudged: rules.tagTypes.includes(read.tag_type),
      readerKey,
      antenna: read.extra?.antenna_unusable ? null : read.antenna,
      tagId: tag?.id ?? null,
      locationKey: read.extra?.location ?? null,
      scanPointId: place.scanPointId,
    }
    ;(seen ?? into.observations).push(observation)
  }
  for (const observation of strongestFirst(seen ?? [], judges))
    if (!recent.isStored(observation, judges)) into.observations.push(observation)
  const problem = problemOf(message, unknownKey)
  into.activity.push({
    orgId,
    readerKey,
    activity: problem === undefined ? activity : { ...activity, ...problem },
  })
}

/** The problem of a message that was partly understood, for the status of its reader and the list of its messages. */
function problemOf(
  { decoded: { errors }, received }: ReaderMessage,
  unknownKey: string | undefined,
): Pick<ReaderActivity, 'problem' | 'problemMessage'> | undefined {
  const [first] = errors
  if (first)
    return {
      problem: `${first.code} at ${shownPointer(first.pointer)}`,
      problemMessage: problemMessage(received, problemsOf(errors)),
    }
  if (unknownKey === undefined) return undefined
  const problem = `no location has the key "${unknownKey.slice(0, 64)}"`
  return { problem, problemMessage: problemMessage(received, [unknownLocation(unknownKey)]) }
}

/** The newest time of its reads and health reports; null if there is none. */
function newestTime({ reads, health }: Decoded): number | null {
  let newest: number | null = null
  for (const { read_at_ms: at } of reads) if (at !== null && (newest === null || at > newest)) newest = at
  for (const { at_ms: at } of health) if (at !== null && (newest === null || at > newest)) newest = at
  return newest
}

/**
 * The location of a read. Null, which is a scan, for a scan point without a location or with a deleted or unknown
 * one. Undefined, which is not a scan, for a key without a location and for an unassigned antenna.
 */
function locationIdOf({ extra }: NeutralRead, { scanPointId, location }: Place): number | null | undefined {
  if (extra?.location !== undefined) return location?.id
  if (scanPointId === null) return undefined
  return location && !location.deleted ? location.id : null
}
