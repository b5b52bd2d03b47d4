import type { TimeSource } from '@whereabouts/contracts/readers'
import type { Decoded, NeutralRead } from '../formats/decoder.ts'
import type { CatalogResolver } from '../projections/catalog-resolver.ts'
import type { CatalogView, KnownLocation, TagMatch } from '../projections/catalog-view.ts'
import type { KnownTag } from '../projections/tag-index.ts'
import type { AntennaAssignment, ReaderDirectory } from '../readers/reader-directory.ts'
import type { ReaderHealthLog, ReaderActivity } from '../readers/reader-health.ts'
import { addSignal, type Signals } from '../readers/reader-hours.ts'
import type { UnknownTagLog, UnknownTagRead } from '../unknown-tags/unknown-tag-log.ts'
import { ClockJudge, findProofs, type ClockProofs, type FindRightTimes } from './clock-proofs.ts'
import { minuteOf, type Observation } from './observation.ts'
import { timeOfRead } from './read-time.ts'
import { problemMessage, problemsOf, shownPointer, unknownLocation } from '../readers/problem-message.ts'
import type { ReaderMessage } from './reader-message.ts'
import type { RecentMinutes } from './recent-minutes.ts'

export type ResolveDeps = {
  view: CatalogView
  directory: ReaderDirectory
  resolver: CatalogResolver
  recent: RecentMinutes
  /** How long history is kept. */
  retentionMs: number
  health: Pick<ReaderHealthLog, 'flush'>
  findRightTimes: FindRightTimes
}

/** Of `ResolveDeps`, what finds the asset and the place of a read. */
export type FindDeps = Pick<ResolveDeps, 'view' | 'directory' | 'resolver'>

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
  const proofs = await findProofs(messages, deps)
  const { resolved, missing } = resolveFromView(messages, proofs, deps)
  if (missing.size === 0) return resolved
  await Promise.all(
    [...missing].map(([orgId, ofOrg]) =>
      deps.resolver.resolve(orgId, { ...ofOrg, tags: ofOrg.tags.values() }, signal),
    ),
  )
  return resolveFromView(messages, proofs, deps).resolved // all, because the view may have changed
}

/** One pass over the reads. Most repeat a stored row, so nothing is kept per read until that is known. */
function resolveFromView(messages: readonly ReaderMessage[], proofs: ClockProofs, deps: ResolveDeps) {
  const resolved: Resolved = { observed: 0, observations: [], activity: [], unknownTags: [] }
  const missing = new Map<number, Missing>()
  const clocks = new ClockJudge(proofs)
  for (const message of messages) resolveMessage(message, clocks, deps, resolved, missing)
  return { resolved, missing }
}

/** What a read would become. `asset` and `place` as ingest finds them. */
export type FoundRead = { read: NeutralRead; asset: TagMatch; place: Place }

/** What ingest would make of the reads of a message, in their order. Stores nothing. Throws CatalogUnavailable. */
export async function findReads(
  message: Pick<ReaderMessage, 'orgId' | 'readerKey' | 'decoded'>,
  deps: FindDeps,
): Promise<FoundRead[]> {
  const { orgId, decoded } = message
  const find = () => {
    const placeOf = placesOf(message, deps)
    return decoded.reads.map((read) => {
      const asset = deps.view.assetOfTag(findTag(deps.view, orgId, read))
      return { read, asset, place: placeOf(read) }
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
export type Place = { scanPointId: number | null; location: KnownLocation | null | undefined }

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
  const { scanPointId, locationId } = assignment
  return { scanPointId, location: locationId === null ? null : view.location(orgId, locationId) }
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
  clocks: ClockJudge,
  deps: ResolveDeps,
  into: Resolved,
  missing: Map<number, Missing>,
): void {
  const { view, recent, retentionMs } = deps
  const { orgId, readerKey, receivedAtMs, timeSource: source = 'reader', decoded } = message
  const { isClockRight, rightMs } = clocks.judge(message)
  const rules = { receivedAtMs, source, retentionMs, isClockRight }
  const isSkewed = timeOfRead(newestTime(decoded), rules).skewed
  const signals: Signals = new Map()
  const activity = {
    seenAtMs: receivedAtMs,
    ...namedBy(decoded),
    messages: 1,
    reads: decoded.reads.length,
    read_errors: decoded.errors.length + decoded.errors_omitted,
    reads_unknown_tag: 0,
    reads_unplaced: 0,
    reads_clock_skewed: 0,
    reads_late: 0,
    ...timesOf(message, source),
    rightMs,
    health: isSkewed ? decoded.health : decoded.health.filter(({ kind }) => kind !== 'clock_skew'),
    signals,
  }
  let unknownKey: string | undefined
  const placeOf = placesOf(message, deps)
  for (const read of decoded.reads) {
    addSignal(signals, read)
    const time = timeOfRead(read.read_at_ms, rules)
    if (time.skewed) activity.reads_clock_skewed += 1
    if (time.kind === 'late' || time.kind === 'too_old') activity.reads_late += 1
    if (time.kind === 'too_old') continue
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
    into.observed += 1
    const minute = minuteOf(time.ms)
    if (recent.isStored(asset.id, minute, locationId)) continue
    into.observations.push({
      orgId,
      assetId: asset.id,
      minute,
      observedAtMs: time.ms,
      locationId,
      isLate: time.kind === 'late',
      readerKey,
      antenna: read.extra?.antenna_unusable ? null : read.antenna,
      tagId: tag?.id ?? null,
      locationKey: read.extra?.location ?? null,
      scanPointId: place.scanPointId,
    })
  }
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

/** Its name for the device, and the kind of the name. */
function namedBy({ identity, identity_kind }: Decoded): Pick<ReaderActivity, 'identity' | 'identityKind'> {
  const kind = identity_kind ?? (identity !== null && isAddress(identity) ? 'address' : 'host_name')
  return { identity, identityKind: kind }
}

const isAddress = (name: string) => /^[0-9A-F]{12}$/.test(name)

/** What its times say about the clock, which is of no interest where they do not count. */
function timesOf(
  { decoded, receivedAtMs: atMs }: ReaderMessage,
  source: TimeSource,
): Pick<ReaderActivity, 'newestMs' | 'clock'> {
  const newestMs = newestTime(decoded)
  const isUnset = newestMs === null && decoded.health.some(({ kind }) => kind === 'clock_unset')
  if (source === 'receipt' || (newestMs === null && !isUnset)) return { newestMs }
  return { newestMs, clock: { atMs, offsetMs: newestMs === null ? 'unset' : newestMs - atMs } }
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
