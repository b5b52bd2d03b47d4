import type { Decoded, NeutralRead } from '../formats/decoder.ts'
import type { GapFiller } from '../projections/catalog-lookup.ts'
import type { CatalogView, KnownAsset } from '../projections/catalog-view.ts'
import type { ReaderDirectory } from '../readers/reader-directory.ts'
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
  let matches = matchReads(messages, deps)
  const gaps = findGaps(messages, matches, deps)
  if (gaps.size > 0) {
    await Promise.all(
      [...gaps].map(([orgId, gap]) => deps.gaps.fill(orgId, { ...gap, tags: gap.tags.values() }, signal)),
    )
    matches = matchReads(messages, deps) // all of them: the view may have changed meanwhile
  }
  const resolved: Resolved = { observations: [], news: [], strangers: [] }
  for (const [i, message] of messages.entries()) resolveMessage(message, matches[i] ?? [], deps, resolved)
  return resolved
}

type Logs = { health: ReaderHealthLog; unknownTags: UnknownTagLog }

export function noteNews({ health, unknownTags }: Logs, { news, strangers }: Resolved): void {
  for (const item of news) health.note(item.orgId, item.readerKey, item.news)
  for (const { orgId, read } of strangers) unknownTags.note(orgId, read)
}

function findGaps(
  messages: readonly ReaderMessage[],
  matches: readonly (readonly Match[])[],
  { view, directory }: ResolveDeps,
): Map<number, Gap> {
  const gaps = new Map<number, Gap>()
  for (const [i, { orgId, readerKey, decoded }] of messages.entries())
    for (const [j, read] of decoded.reads.entries()) {
      const key = read.extra?.location
      const missesTag = !matches[i]?.[j]?.known
      const missesKey = key !== undefined && !view.locationByKey(orgId, key)
      const locationId = key === undefined ? locationIdOf(directory, orgId, readerKey, read) : undefined
      const missesId = locationId !== undefined && !view.location(orgId, locationId)
      if (!missesTag && !missesKey && !missesId) continue
      const gap = gaps.get(orgId) ?? noGap()
      gaps.set(orgId, gap)
      if (missesTag) for (const tag of tagsOf(read)) gap.tags.set(`${tag.tag_type} ${tag.value}`, tag)
      if (missesKey) gap.locationKeys.add(key)
      if (missesId) gap.locationIds.add(locationId)
    }
  return gaps
}

const noGap = (): Gap => ({ tags: new Map(), locationKeys: new Set(), locationIds: new Set() })

/** Where the antenna looks; undefined when it looks nowhere or is unknown. */
function locationIdOf(directory: ReaderDirectory, orgId: number, readerKey: string, read: NeutralRead) {
  const placement = directory.placement(orgId, readerKey, read.antenna)
  return placement.placed ? (placement.locationId ?? undefined) : undefined
}

/** The address first, then the iBeacon identity, under which a tag with a rotating address is registered (D6.5). */
function tagsOf(read: NeutralRead): Tag[] {
  const tag = { tag_type: read.tag_type, value: read.tag_value }
  const beacon = read.extra?.ibeacon
  if (!beacon) return [tag]
  return [tag, { tag_type: 'ble', value: `${beacon.uuid}/${beacon.major}/${beacon.minor}` }]
}

type Match = { known: boolean; asset?: KnownAsset | undefined }

/** Per message the match of each of its reads. */
const matchReads = (messages: readonly ReaderMessage[], { view }: ResolveDeps): Match[][] =>
  messages.map(({ orgId, decoded }) => decoded.reads.map((read) => matchRead(view, orgId, read)))

function matchRead(view: CatalogView, orgId: number, read: NeutralRead): Match {
  if (!read.extra?.ibeacon) return view.matchTag(orgId, read.tag_type, read.tag_value)
  for (const tag of tagsOf(read)) {
    const match = view.matchTag(orgId, tag.tag_type, tag.value)
    if (match.known) return match
  }
  return { known: false }
}

function resolveMessage(
  message: ReaderMessage,
  matches: readonly Match[],
  deps: ResolveDeps,
  into: Resolved,
): void {
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
  for (const [i, read] of decoded.reads.entries()) {
    const time = observedAt(read.read_at_ms, receivedAtMs)
    if (time.skewed) news.reads_clock_skewed += 1
    const place = placeOf(orgId, readerKey, read, deps)
    const match = matches[i]
    const asset = match?.asset
    if (!match?.known) into.strangers.push({ orgId, read })
    if (!asset) news.reads_unknown_tag += 1
    if (!place) news.reads_unplaced += 1
    if (!asset || !place) continue
    into.observations.push({
      orgId,
      assetId: asset.id,
      minute: minuteOf(time.ms),
      observedAtMs: time.ms,
      locationId: place.locationId,
      readerKey,
      antenna: read.antenna,
    })
  }
  const problem = decoded.errors[0]
  into.news.push({
    orgId,
    readerKey,
    news: problem ? { ...news, problem: `${problem.code} at ${problem.pointer}` } : news,
  })
}

/** Of its reads and of what the device says of itself; null when nothing names a time. */
function newestTime({ reads, health }: Decoded): number | null {
  let newest: number | null = null
  for (const { read_at_ms: at } of reads) if (at !== null && (newest === null || at > newest)) newest = at
  for (const { at_ms: at } of health) if (at !== null && (newest === null || at > newest)) newest = at
  return newest
}

/**
 * A location key in the message wins over the scan point (D8.8). A scan point without a location, or whose location
 * was deleted or is none that catalog knows, places the read nowhere, which is still a place in the sense of history;
 * undefined is no scan at all.
 */
function placeOf(
  orgId: number,
  readerKey: string,
  read: NeutralRead,
  { view, directory }: ResolveDeps,
): { locationId: number | null } | undefined {
  const key = read.extra?.location
  if (key !== undefined) {
    const location = view.locationByKey(orgId, key)
    return location && { locationId: location.id }
  }
  const placement = directory.placement(orgId, readerKey, read.antenna)
  if (!placement.placed) return undefined
  const { locationId } = placement
  if (locationId === null) return { locationId }
  const location = view.location(orgId, locationId)
  return { locationId: location && !location.deleted ? locationId : null }
}
