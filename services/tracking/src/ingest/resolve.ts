import type { Decoded, NeutralRead } from '../formats/decoder.ts'
import type { GapFiller } from '../projections/catalog-lookup.ts'
import type { CatalogView, KnownLocation, TagMatch } from '../projections/catalog-view.ts'
import type { Placement, ReaderDirectory } from '../readers/reader-directory.ts'
import type { ReaderHealthLog, ReaderNews } from '../readers/reader-health.ts'
import type { UnknownTagLog } from '../unknown-tags/unknown-tag-log.ts'
import { minuteOf, observedAt, type Observation } from './observation.ts'
import type { ReaderMessage } from './reader-message.ts'

export type ResolveDeps = { view: CatalogView; directory: ReaderDirectory; gaps: GapFiller }

/** What a batch comes to. The logs are told of news and strangers only after the rows are stored. */
export type Resolved = {
  observations: Observation[]
  news: { orgId: number; readerKey: string; news: ReaderNews }[]
  /** Reads of tags that catalog does not know either. */
  strangers: { orgId: number; read: NeutralRead }[]
}

type Tag = { tag_type: string; value: string }
type Gap = { tags: Map<string, Tag>; locationKeys: Set<string>; locationIds: Set<number> }

/**
 * Turns reads into observations, in the order of arrival: reader and antenna to location, tag to asset. What the view
 * does not know is asked of catalog once, for all reads of the batch, before anything is called unknown. Throws
 * CatalogUnavailable.
 */
export async function resolve(
  messages: readonly ReaderMessage[],
  deps: ResolveDeps,
  signal: AbortSignal,
): Promise<Resolved> {
  let found = messages.map((message) => look(message, deps))
  const gaps = findGaps(messages, found, deps)
  if (gaps.size > 0) {
    await Promise.all(
      [...gaps].map(([orgId, gap]) => deps.gaps.fill(orgId, { ...gap, tags: gap.tags.values() }, signal)),
    )
    found = messages.map((message) => look(message, deps)) // all of them: the view may have changed meanwhile
  }
  const resolved: Resolved = { observations: [], news: [], strangers: [] }
  for (const [i, message] of messages.entries()) resolveMessage(message, found[i] ?? [], resolved)
  return resolved
}

const NOTHING: Found = { match: undefined, placed: false, location: null }

type Logs = { health: ReaderHealthLog; unknownTags: UnknownTagLog }

export function noteNews({ health, unknownTags }: Logs, { news, strangers }: Resolved): void {
  for (const item of news) health.note(item.orgId, item.readerKey, item.news)
  for (const { orgId, read } of strangers) unknownTags.note(orgId, read)
}

/** What the view and the directory know of one read. `location` is undefined where a location is named but unknown. */
type Found = { match: TagMatch; placed: boolean; location: KnownLocation | null | undefined }

/** Of each read of a message. */
function look({ orgId, readerKey, decoded }: ReaderMessage, { view, directory }: ResolveDeps): Found[] {
  // Most messages of most readers come from one antenna or a few.
  const antennas = new Map<number, Pick<Found, 'placed' | 'location'>>()
  return decoded.reads.map((read) => {
    const match = matchRead(view, orgId, read)
    const key = read.extra?.location
    // A location key in the message wins over the scan point (D8.8).
    if (key !== undefined) return { match, placed: true, location: view.locationByKey(orgId, key) }
    if (read.extra?.antenna_unusable) return { match, placed: false, location: null }
    let place = antennas.get(read.antenna)
    if (place === undefined) {
      place = lookAtScanPoint(directory.placement(orgId, readerKey, read.antenna), orgId, view)
      antennas.set(read.antenna, place)
    }
    return { match, placed: place.placed, location: place.location }
  })
}

function lookAtScanPoint(placement: Placement, orgId: number, view: CatalogView) {
  if (!placement.placed) return { placed: false, location: null }
  const { locationId } = placement
  return { placed: true, location: locationId === null ? null : view.location(orgId, locationId) }
}

function findGaps(
  messages: readonly ReaderMessage[],
  found: readonly (readonly Found[])[],
  { directory }: ResolveDeps,
): Map<number, Gap> {
  const gaps = new Map<number, Gap>()
  for (const [i, { orgId, readerKey, decoded }] of messages.entries())
    for (const [j, { match, location }] of (found[i] ?? []).entries()) {
      const read = decoded.reads[j]
      if ((match !== undefined && location !== undefined) || !read) continue
      const gap = gaps.get(orgId) ?? noGap()
      gaps.set(orgId, gap)
      if (match === undefined)
        for (const tag of tagsOf(read)) gap.tags.set(`${tag.tag_type} ${tag.value}`, tag)
      if (location === undefined) addPlace(gap, read, directory.placement(orgId, readerKey, read.antenna))
    }
  return gaps
}

const noGap = (): Gap => ({ tags: new Map(), locationKeys: new Set(), locationIds: new Set() })

/** The location that the read names, by its key or by its scan point. */
function addPlace(gap: Gap, { extra }: NeutralRead, placement: Placement): void {
  if (extra?.location !== undefined) gap.locationKeys.add(extra.location)
  else if (placement.placed && placement.locationId !== null) gap.locationIds.add(placement.locationId)
}

/** The address first, then the iBeacon identity, under which a tag with a rotating address is registered (D6.5). */
function tagsOf(read: NeutralRead): Tag[] {
  const tag = { tag_type: read.tag_type, value: read.tag_value }
  const beacon = read.extra?.ibeacon
  if (!beacon) return [tag]
  return [tag, { tag_type: 'ble', value: `${beacon.uuid}/${beacon.major}/${beacon.minor}` }]
}

function matchRead(view: CatalogView, orgId: number, read: NeutralRead): TagMatch {
  if (!read.extra?.ibeacon) return view.matchTag(orgId, read.tag_type, read.tag_value)
  for (const tag of tagsOf(read)) {
    const match = view.matchTag(orgId, tag.tag_type, tag.value)
    if (match !== undefined) return match
  }
  return undefined
}

function resolveMessage(message: ReaderMessage, found: readonly Found[], into: Resolved): void {
  const { orgId, readerKey, receivedAtMs, decoded } = message
  const news = {
    seenAtMs: receivedAtMs,
    identity: decoded.identity,
    messages: 1,
    reads: decoded.reads.length,
    read_errors: decoded.errors.length + decoded.errors_omitted,
    reads_unknown_tag: 0,
    reads_unplaced: 0,
    reads_clock_skewed: 0,
    newestMs: newestTime(decoded),
    health: decoded.health,
  }
  let unknownKey: string | undefined
  for (const [i, read] of decoded.reads.entries()) {
    const time = observedAt(read.read_at_ms, receivedAtMs)
    if (time.skewed) news.reads_clock_skewed += 1
    const { match: asset, placed, location } = found[i] ?? NOTHING
    const place = placed ? locationIdOf(read, location) : undefined
    if (asset === undefined) into.strangers.push({ orgId, read })
    if (!asset) news.reads_unknown_tag += 1
    if (place === undefined) {
      news.reads_unplaced += 1
      unknownKey ??= read.extra?.location
    }
    if (!asset || place === undefined) continue
    into.observations.push({
      orgId,
      assetId: asset.id,
      minute: minuteOf(time.ms),
      observedAtMs: time.ms,
      locationId: place,
      readerKey,
      antenna: read.extra?.antenna_unusable ? null : read.antenna,
    })
  }
  const problem = problemOf(decoded, unknownKey)
  into.news.push({ orgId, readerKey, news: problem === undefined ? news : { ...news, problem } })
}

/** What an operator is told of a message that was understood in part. */
function problemOf({ errors: [error] }: Decoded, unknownKey: string | undefined): string | undefined {
  if (error) return `${error.code} at ${error.pointer}`
  return unknownKey === undefined ? undefined : `no location has the key "${unknownKey.slice(0, 64)}"`
}

/** Of its reads and of what the device says of itself; null when nothing names a time. */
function newestTime({ reads, health }: Decoded): number | null {
  let newest: number | null = null
  for (const { read_at_ms: at } of reads) if (at !== null && (newest === null || at > newest)) newest = at
  for (const { at_ms: at } of health) if (at !== null && (newest === null || at > newest)) newest = at
  return newest
}

/**
 * Where a read places its tag. A scan point without a location, or whose location was deleted or is none that catalog
 * knows, places it nowhere, which is null and still a place in the sense of history; a key that names no location is
 * no scan at all, which is undefined.
 */
function locationIdOf({ extra }: NeutralRead, location: Found['location']): number | null | undefined {
  if (extra?.location !== undefined) return location?.id
  return location && !location.deleted ? location.id : null
}
