import type {
  DecodeContext,
  DecodeErrorCode,
  Decoded,
  HealthDetail,
  HealthDetailValue,
  HealthKind,
  NeutralRead,
  ReadExtra,
  TagType,
  IdentityKind,
} from './decoder.ts'
import { derivedHealth } from './derived-health.ts'
import { MALFORMED, readFrames } from './framing.ts'
import {
  MAX_COUNTED_ERRORS,
  MAX_FRAMES,
  MAX_READS,
  Refusal,
  tooManyErrors,
  tooManyFrames,
  tooManyReads,
} from './limits.ts'
import { readMac } from './tag-values.ts'
import { readText } from './texts.ts'
import { isZone } from './zones.ts'

/** A hostile message can have an error every other byte. Errors beyond this are counted, not kept. */
const MAX_ERRORS = 1000

/** A device is in one zone. A lookup takes 0.1 ms, so a message gets only a few. */
const MAX_ZONES = 16

/** For an antenna number that cannot exist. */
export const UNUSABLE_ANTENNA = 0

/** One read, as a decoder found it. The collector adds the facts of the whole message. */
type FoundRead = {
  /** From 1, or `UNUSABLE_ANTENNA`. */
  antenna: number
  tag_type: TagType
  tag_value: string
  rssi_dbm: number | null
  read_count: number
  read_at_ms: number | null
  extra?: ReadExtra | undefined
}

/** The details of an event. Undefined for those that the device did not send. */
export type DetailMembers = Record<string, HealthDetailValue | undefined>

/** Collects the reads, health reports and errors of one message. */
export class Collector {
  readonly context: DecodeContext
  readonly #decoded: Decoded = {
    identity: null,
    reads: [],
    health: [],
    errors: [],
    errors_omitted: 0,
    isDeadLetter: false,
  }
  #frame = -1
  #unusableFrames = 0
  #newestMs = -Infinity
  #clockUnset = false
  #isZoneMissing = false
  #readsWithoutAntenna = 0
  readonly #zones = new Map<string, boolean>()
  readonly #maxReads: number
  #reads = 0

  constructor(context: DecodeContext, maxReads = MAX_READS) {
    this.context = context
    this.#maxReads = maxReads
  }

  /**
   * Beyond the limit, reads are only counted, up to 1.5 times the limit, so that the error can say how many there
   * were.
   */
  #countBeyond(): void {
    const counted = 1.5 * this.#maxReads
    if (this.#reads > counted) throw new Refusal(tooManyReads(`over ${counted}`, this.#maxReads))
  }

  /** For formats that know the number of reads of a frame in advance. Throws Refusal if there are too many. */
  announce(reads: number): void {
    if (this.#reads + reads <= this.#maxReads) return
    throw new Refusal(tooManyReads(this.#reads + reads, this.#maxReads))
  }

  startFrame(): void {
    this.#frame += 1
  }

  /**
   * Reports an error in the current frame. Throws Refusal if there are too many. A shape error at the root, at most
   * one per frame, means that the whole frame is unusable.
   */
  report(code: DecodeErrorCode, pointer: string): undefined {
    if (pointer === '' && (code === 'malformed_json' || code === 'unexpected_shape'))
      this.#unusableFrames += 1
    if (this.#decoded.errors.length < MAX_ERRORS) {
      this.#decoded.errors.push({ code, frame: this.#frame, pointer })
      return
    }
    this.#decoded.errors_omitted += 1
    if (MAX_ERRORS + this.#decoded.errors_omitted > MAX_COUNTED_ERRORS) throw new Refusal(tooManyErrors())
  }

  /** Takes the identity of the device from a field. The first one of the message counts. */
  identify(
    name: unknown,
    {
      kind,
      read = readDeviceName,
    }: { kind?: IdentityKind; read?: (name: unknown) => string | undefined } = {},
  ): void {
    if (this.#decoded.identity !== null) return
    const identity = read(name) ?? null
    this.#decoded.identity = identity
    if (identity !== null && kind !== undefined) this.#decoded.identity_kind = kind
  }

  /** A wall time without a zone, where the reader has none. Reported once: one setting corrects all of them. */
  noteMissingZone(pointer: string): void {
    if (this.context.time_source === 'receipt' || this.#isZoneMissing) return
    this.#isZoneMissing = true
    this.report('missing_zone', pointer)
  }

  addRead({ antenna, tag_type, tag_value, rssi_dbm, read_count, read_at_ms, extra }: FoundRead): void {
    this.#reads += 1
    if (this.#reads > this.#maxReads) return this.#countBeyond()
    const isUsable = antenna !== UNUSABLE_ANTENNA
    // One literal, so that every read has the same hidden class.
    const read: NeutralRead = {
      antenna: isUsable ? antenna : 1,
      tag_type,
      tag_value,
      rssi_dbm,
      read_count,
      read_at_ms,
    }
    if (extra !== undefined && hasValues(extra)) read.extra = extra
    if (!isUsable) read.extra = { ...read.extra, antenna_unusable: true }
    if (read_at_ms !== null && read_at_ms > this.#newestMs) this.#newestMs = read_at_ms
    this.#decoded.reads.push(read)
  }

  addHealth(kind: HealthKind, at_ms: number | null, members: DetailMembers = {}): void {
    const detail: HealthDetail = {}
    for (const [name, value] of Object.entries(members)) {
      if (value !== undefined) detail[name] = value
    }
    const { reader, received_at_ms } = this.context
    if (at_ms !== null && at_ms > this.#newestMs) this.#newestMs = at_ms
    this.#decoded.health.push({ kind, reader, at_ms, received_at_ms, detail })
  }

  /** A numeric time was zero or an uptime. */
  noteClockUnset(): void {
    this.#clockUnset = true
  }

  /** True if the zone that a message names is known. */
  knowsZone(zone: string): boolean {
    const known = this.#zones.get(zone)
    if (known !== undefined || this.#zones.size === MAX_ZONES) return known ?? false
    this.#zones.set(zone, isZone(zone))
    return this.#zones.get(zone) ?? false
  }

  /** A read lacked the antenna, which its device can be configured to send. */
  noteMissingAntenna(): void {
    this.#readsWithoutAntenna += 1
  }

  /** Throws Refusal if the message has too many reads. */
  finish(): Decoded {
    if (this.#reads > this.#maxReads) throw new Refusal(tooManyReads(this.#reads, this.#maxReads))
    const derived = derivedHealth({
      newestMs: this.#newestMs,
      receivedAtMs: this.context.received_at_ms,
      clockUnset: this.#clockUnset,
      readsWithoutAntenna: this.#readsWithoutAntenna,
    })
    for (const { kind, detail } of derived) this.addHealth(kind, null, detail)
    const frames = this.#frame + 1
    this.#decoded.isDeadLetter = frames > 0 && this.#unusableFrames === frames
    return this.#decoded
  }
}

const readDeviceName = (name: unknown) => readMac(name) ?? readText(name)

function hasValues(extra: ReadExtra): boolean {
  for (const value of Object.values(extra)) if (value !== undefined) return true
  return false
}

/**
 * Decodes frame by frame. Reports broken frames, which never reach `decodeFrame`. Throws Refusal for a message that
 * is too large; see `limited`.
 */
export function decodeFrames(
  bytes: Uint8Array,
  context: DecodeContext,
  decodeFrame: (out: Collector, frame: unknown) => void,
  maxReads = MAX_READS,
): Decoded {
  const out = new Collector(context, maxReads)
  const frames = readFrames(bytes)
  if (frames.length > MAX_FRAMES) throw new Refusal(tooManyFrames())
  for (const frame of frames) {
    out.startFrame()
    if (frame === MALFORMED) out.report('malformed_json', '')
    else decodeFrame(out, frame)
  }
  return out.finish()
}

/** Like `decodeFrames`, for formats whose frames may also be arrays of items. `at` is the pointer of the item. */
export function decodeItems(
  bytes: Uint8Array,
  context: DecodeContext,
  decodeItem: (out: Collector, item: unknown, at: string) => void,
): Decoded {
  return decodeFrames(bytes, context, (out, frame) => {
    if (!Array.isArray(frame)) return decodeItem(out, frame, '')
    for (const [index, item] of frame.entries()) decodeItem(out, item, `/${index}`)
  })
}
