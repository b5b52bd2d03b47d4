import type { TimeSource } from '@whereabouts/contracts/resources/tracking/readers'
import type { Decoded, NeutralRead } from '../../formats/decoder.ts'
import type { CatalogResolver } from '../../catalog/catalog-resolver.ts'
import { inSlices } from '@whereabouts/service-kit/limits/slices'
import { asOf } from '../../as-of.ts'
import type { CatalogView, TagMatch } from '../../catalog/catalog-view.ts'
import type { KnownTag } from '../../catalog/tag-owners.ts'
import type { ReaderDirectory } from '../../readers/reader-directory.ts'
import type { ReaderHealthLog, ReaderActivity } from '../../readers/health/reader-health.ts'
import { addSignal, type Signals } from '../../readers/health/reader-hours.ts'
import type { UnknownTagLog, UnknownTagRead } from '../../readers/unknown-tags/unknown-tag-log.ts'
import { ClockJudge, findProofs, type ClockProofs, type FindRightTimes } from '../reads/clock-proofs.ts'
import { timeOfRead } from '../reads/read-time.ts'
import { minuteOf, type Observation } from '../../positions/observation.ts'
import type { Retentions } from '../../positions/retention/retentions.ts'
import { isJudging, type PlacementRules } from '../../positions/rules.ts'
import { strongestFirst } from '../../positions/strongest-first.ts'
import { problemMessage, problemsOf, shownPointer } from '../../readers/health/problem-message.ts'
import { PlaceProblems } from './place-problems.ts'
import { isTooWeak, rssiOf, locationIdOf, placesOf, type Place } from './place.ts'
import { findTag, tagsToAsk, type Tag } from '../reads/read-tag.ts'
import type { ReaderMessage } from '../reads/reader-message.ts'
import type { RecentMinutes } from './recent-minutes.ts'

export type ResolveDeps = {
  view: CatalogView
  directory: ReaderDirectory
  resolver: Pick<CatalogResolver, 'resolve'>
  recent: Pick<RecentMinutes, 'isStored'>
  rulesOf: (orgId: number) => PlacementRules
  /** How long history is kept, and where organizations keep less. */
  retentionMs: number
  retentions: Pick<Retentions, 'isExpired'>
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
  /** Reads of tags that catalog does not know either, and that nothing had lately. */
  unknownTags: { orgId: number; read: UnknownTagRead }[]
}

type Missing = {
  tags: Map<string, Tag>
  assetIds: Set<number>
  locationKeys: Set<string>
  locationIds: Set<number>
}

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
  const { resolved, missing } = await resolveFromView(messages, proofs, deps)
  if (missing.size === 0) return resolved
  await Promise.all(
    [...missing].map(([orgId, ofOrg]) =>
      deps.resolver.resolve(orgId, { ...ofOrg, tags: ofOrg.tags.values() }, signal),
    ),
  )
  return (await resolveFromView(messages, proofs, deps)).resolved // all, because the view may have changed
}

/**
 * One pass over the reads, in slices: senders decide how many there are. Most repeat a stored row, so nothing is kept per
 * read until that is known.
 */
async function resolveFromView(messages: readonly ReaderMessage[], proofs: ClockProofs, deps: ResolveDeps) {
  const resolved: Resolved = { observed: 0, observations: [], activity: [], unknownTags: [] }
  const missing = new Map<number, Missing>()
  const clocks = new ClockJudge(proofs)
  await inSlices(messages, (message) => resolveMessage(message, clocks, deps, resolved, missing))
  return { resolved, missing }
}

/** What a read would become. `asset` and `place` as ingest finds them. */
export type FoundRead = {
  read: NeutralRead
  tag: KnownTag | null | undefined
  asset: TagMatch
  place: Place
  isTooWeak: boolean
  /** Its clock is wrong, so the time of receipt counts. */
  isSkewed: boolean
}

/** What ingest would make of the reads of a message, in their order. Stores nothing. Throws CatalogUnavailable. */
export async function findReads(
  message: Pick<ReaderMessage, 'orgId' | 'readerKey' | 'receivedAtMs' | 'timeSource' | 'decoded'>,
  deps: FindDeps,
): Promise<FoundRead[]> {
  const { orgId, receivedAtMs, timeSource: source = 'reader', decoded } = message
  const { isClockRight } = new ClockJudge(new Map()).judge(message) // as far as the message itself says
  const times = { receivedAtMs, source, retentionMs: Infinity, isClockRight }
  const find = () => {
    const placeOf = placesOf(message, deps)
    const rules = deps.directory.rules(orgId)
    return decoded.reads.map((read) => {
      const time = timeOfRead(read.read_at_ms, times)
      const asOfMs = asOf(time.ms, receivedAtMs)
      const tag = findTag(deps.view, orgId, read, asOfMs)
      const place = placeOf(read, asOfMs)
      const isWeak = isTooWeak(rssiOf(read, place), read, place, rules)
      const asset = deps.view.assetOfTag(tag)
      return { read, tag, asset, place, isTooWeak: isWeak, isSkewed: time.skewed }
    })
  }
  const missing = new Map<number, Missing>()
  const found = find()
  for (const one of found)
    if (!one.asset || one.place.location === undefined) noteMissing(orgId, one, deps, missing)
  const ofOrg = missing.get(orgId)
  if (!ofOrg) return found
  await deps.resolver.resolve(orgId, { ...ofOrg, tags: ofOrg.tags.values() })
  return find()
}

type Logs = { health: ReaderHealthLog; unknownTags: UnknownTagLog }

export function recordReaderActivity({ health, unknownTags }: Logs, resolved: Resolved): void {
  for (const { orgId, readerKey, activity } of resolved.activity) health.note(orgId, readerKey, activity)
  for (const { orgId, read } of resolved.unknownTags) unknownTags.note(orgId, read)
}

/** Notes what catalog has to be asked for this read. */
function noteMissing(
  orgId: number,
  { read, tag, asset, place }: Omit<FoundRead, 'isTooWeak' | 'isSkewed'>,
  { view }: Pick<ResolveDeps, 'view'>,
  missing: Map<number, Missing>,
): void {
  // Something that had no tag a moment ago may have got it.
  const tags = asset ? [] : tagsToAsk(view, orgId, read)
  const assetId = asset === undefined && tag ? tag.assetId : null
  if (tags.length === 0 && assetId === null && place.location !== undefined) return
  const ofOrg = missing.get(orgId) ?? nothingMissing()
  missing.set(orgId, ofOrg)
  for (const asked of tags) ofOrg.tags.set(`${asked.tag_type} ${asked.value}`, asked)
  if (assetId !== null) ofOrg.assetIds.add(assetId)
  if (place.location === undefined) addLocation(ofOrg, read, place)
}

const nothingMissing = (): Missing => ({
  tags: new Map(),
  assetIds: new Set(),
  locationKeys: new Set(),
  locationIds: new Set(),
})

/** The location that the read names, by its key or by its scan point. */
function addLocation(missing: Missing, { extra }: NeutralRead, { locationId }: Place): void {
  if (extra?.location !== undefined) missing.locationKeys.add(extra.location)
  else if (locationId !== null) missing.locationIds.add(locationId)
}

function resolveMessage(
  message: ReaderMessage,
  clocks: ClockJudge,
  deps: ResolveDeps,
  into: Resolved,
  missing: Map<number, Missing>,
): void {
  const { view, recent, retentionMs, retentions, rulesOf } = deps
  const { orgId, readerKey, receivedAtMs, timeSource: source = 'reader', decoded } = message
  const { isClockRight, rightMs } = clocks.judge(message)
  const times = { receivedAtMs, source, retentionMs, isClockRight }
  const newestMs = newestTime(decoded)
  const isSkewed = timeOfRead(newestMs, times).skewed
  const signals: Signals = new Map()
  const activity = {
    seenAtMs: receivedAtMs,
    ...namedBy(decoded),
    messages: 1,
    reads: decoded.reads.length,
    read_errors: decoded.errors.length + decoded.errors_omitted,
    reads_unknown_tag: 0,
    reads_unplaced: 0,
    reads_too_weak: 0,
    reads_clock_skewed: 0,
    reads_late: 0,
    ...timesOf(message, newestMs, source),
    rightMs,
    health: isSkewed ? decoded.health : decoded.health.filter(({ kind }) => kind !== 'clock_skew'),
    signals,
  }
  const placeProblems = new PlaceProblems()
  const unknown = new Map<string, UnknownTagRead>()
  const placeOf = placesOf(message, deps)
  const rules = rulesOf(orgId)
  const judges = isJudging(rules)
  /** Of a message with several antennas: one of them may hear the tags of another. */
  const seen: Observation[] | undefined = isOfOnePlace(decoded.reads) ? undefined : []
  for (const read of decoded.reads) {
    addSignal(signals, read)
    const time = timeOfRead(read.read_at_ms, times)
    if (time.skewed) activity.reads_clock_skewed += 1
    if (time.kind === 'late' || time.kind === 'too_old') activity.reads_late += 1
    if (time.kind === 'too_old') continue
    const asOfMs = asOf(time.ms, receivedAtMs)
    const tag = findTag(view, orgId, read, asOfMs)
    const asset = view.assetOfTag(tag)
    const place = placeOf(read, asOfMs)
    const isAsked = asset === undefined && noteUnknown(unknown, read, message)
    if ((!asset && !isAsked) || place.location === undefined)
      noteMissing(orgId, { read, tag, asset, place }, deps, missing)
    const locationId = locationIdOf(read, place)
    if (!asset) activity.reads_unknown_tag += 1
    if (locationId === undefined) {
      activity.reads_unplaced += 1
      placeProblems.note(read, place)
    }
    if (!asset || locationId === undefined) continue
    const isLate = time.kind === 'late'
    if (isLate && retentions.isExpired(orgId, view.types.typeOf(orgId, asset.id), time.ms, receivedAtMs))
      continue
    const rssi = rssiOf(read, place)
    if (isTooWeak(rssi, read, place, rules)) {
      activity.reads_too_weak += 1
      continue
    }
    into.observed += 1
    if (seen === undefined && recent.isStored(asset.id, time.ms, locationId, rssi, judges)) continue
    const observation = {
      orgId,
      assetId: asset.id,
      minute: minuteOf(time.ms),
      observedAtMs: time.ms,
      locationId,
      isLate,
      rssi,
      isJudged: rules.tagTypes.includes(read.tag_type),
      readerKey,
      antenna: read.extra?.antenna_unusable ? null : read.antenna,
      tagId: tag?.id ?? null,
      locationKey: read.extra?.location ?? null,
      scanPointId: place.scanPointId,
    }
    ;(seen ?? into.observations).push(observation)
  }
  for (const observation of strongestFirst(seen ?? [], judges)) {
    const { assetId, observedAtMs, locationId, rssi } = observation
    if (!recent.isStored(assetId, observedAtMs, locationId, rssi, judges)) into.observations.push(observation)
  }
  for (const read of unknown.values()) into.unknownTags.push({ orgId, read })
  const problem = problemOf(message, placeProblems)
  into.activity.push({
    orgId,
    readerKey,
    activity: problem === undefined ? activity : { ...activity, ...problem },
  })
}

/** Counts a read of an unknown tag, with all reads of it in the message. True if there was one before. */
function noteUnknown(
  unknown: Map<string, UnknownTagRead>,
  read: NeutralRead,
  { readerKey, receivedAtMs }: ReaderMessage,
): boolean {
  const name = `${read.tag_type} ${read.tag_value}`
  const known = unknown.get(name)
  if (!known) {
    unknown.set(name, { ...read, reader: readerKey, received_at_ms: receivedAtMs, reads: 1 })
    return false
  }
  known.reads += 1
  known.rssi_dbm = read.rssi_dbm
  known.antenna = read.antenna
  if (!read.extra?.ibeacon) return known.extra?.ibeacon === undefined
  known.extra = read.extra
  return false
}

/** Whether all reads are of one antenna, or name one location. Nearly all messages are. */
function isOfOnePlace(reads: readonly NeutralRead[]): boolean {
  const [first] = reads
  for (const { antenna, extra } of reads)
    if (antenna !== first?.antenna || extra?.location !== first.extra?.location) return false
  return true
}

/** The problem of a message that was partly understood, for the status of its reader and the list of its messages. */
function problemOf(
  { decoded: { errors }, received }: ReaderMessage,
  places: PlaceProblems,
): Pick<ReaderActivity, 'problem' | 'problemMessage'> | undefined {
  const [first] = errors
  if (first)
    return {
      problem: `${first.code} at ${shownPointer(first.pointer)}`,
      problemMessage: problemMessage(received, problemsOf(errors)),
    }
  const problem = places.first()
  return problem === undefined
    ? undefined
    : { problem, problemMessage: problemMessage(received, places.list()) }
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
  newestMs: number | null,
  source: TimeSource,
): Pick<ReaderActivity, 'newestMs' | 'clock'> {
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
