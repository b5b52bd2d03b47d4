// This file imports nothing, so that an integration without the client can copy it.

/** A parsed event with a verified signature. Fields of later versions are kept. */
export type WebhookEvent = {
  /** `asset.moved`, or a value of a later version. Ignore events with an unknown value. */
  event: string
  /** The same in each attempt: use it to detect duplicates. Unlike the header with the same value, it is signed. */
  delivery_id: string
  /** RFC 3339. Use it to order events. */
  occurred_at: string
  data: unknown
}

export type AssetMovedEvent = WebhookEvent & {
  event: 'asset.moved'
  data: {
    asset: { id: number; external_key: string; name: string }
    /** Null for the first scan of the asset, after a scan without a location, and if that location was deleted. */
    from_location: { id: number; name: string } | null
    to_location: { id: number; name: string }
  }
}

export const isAssetMoved = (event: WebhookEvent): event is AssetMovedEvent => event.event === 'asset.moved'

/** Why a request is not a valid delivery. Later versions may add values. */
export type WebhookRefusal =
  | 'missing_header'
  | 'malformed_header'
  | 'unknown_scheme'
  | 'signature_mismatch'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'malformed_body'

/** The request must not be trusted. `code` is the reason. The message contains no secret and no signature. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly code: WebhookRefusal
  /**
   * `X-Service-Signature` is correct and only the time of the event is not: a late delivery. If it is refused, further
   * attempts with the same timestamp follow. So answer 2xx, change nothing, and read the report. False for an old
   * `webhook-timestamp`, the time of the attempt: that is a forgery, or the clock of this machine is wrong.
   */
  readonly isGenuine: boolean

  constructor(code: WebhookRefusal, message: string, isGenuine = code.startsWith('timestamp_')) {
    super(message)
    this.code = code
    this.isGenuine = isGenuine
  }
}

/** The unchanged bytes of the body. A string must be their exact UTF-8 decoding. */
export type RawBody = string | Uint8Array | ArrayBuffer

/** Fetch `Headers`, Node's `request.headers`, or an object with names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type VerifyOptions = {
  /**
   * How far the signed timestamp may be before or after now; default 300. `webhook-timestamp` is the time of the
   * attempt. `X-Service-Timestamp` is that of the scan: if you verify by it alone and readers send late, use 86 700 (24
   * hours and 5 minutes).
   */
  toleranceSeconds?: number
  /** Milliseconds since 1970; for tests. */
  now?: () => number
}

const DEFAULT_TOLERANCE_SECONDS = 300
const encoder = new TextEncoder()

/**
 * Returns the event of a delivery, whose `webhook-signature` (Standard Webhooks) is correct; without that header, whose
 * `X-Service-Signature` is. Throws WebhookVerificationError if the request is not a valid delivery. Throws TypeError for
 * a mistake of the calling program: no secret, one that is not of a webhook, a body that was parsed already, an invalid
 * tolerance. Of several secrets any may match.
 */
export async function verifyWebhook(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  await verifyWebhookSignature(rawBody, headers, secret, options)
  return parseEvent(bytesOf(rawBody))
}

/** Like `verifyWebhook`, without parsing the body. */
export async function verifyWebhookSignature(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = Date.now }: VerifyOptions = {},
): Promise<void> {
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds must be a number from 0')
  const secrets = secretsOf(secret)
  const { head, timestamp, signatures, keyOf, ofAttempt } = readHeaders(headers)
  const signed = signedBytes(head, bytesOf(rawBody))
  if (!(await matchesAny(secrets.map(keyOf), signatures, signed)))
    throw new WebhookVerificationError('signature_mismatch', 'the signature does not match the body')
  // After the signature: an unsigned timestamp proves nothing, and `isGenuine` must be reliable.
  checkTime(timestamp - now() / 1000, toleranceSeconds, ofAttempt)
}

/** `sha256=<hex>`, the value of `X-Service-Signature`, for tests of a receiver. */
export async function webhookSignature(rawBody: RawBody, timestamp: string, secret: string): Promise<string> {
  const digest = await digestOf(textKey(secret), signedBytes(`${timestamp}.`, bytesOf(rawBody)))
  return `sha256=${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** `v1,<base64>`, the value of `webhook-signature`, for tests of a receiver. */
export async function standardWebhookSignature(
  rawBody: RawBody,
  id: string,
  timestamp: string,
  secret: string,
): Promise<string> {
  const digest = await digestOf(base64Key(secret), signedBytes(`${id}.${timestamp}.`, bytesOf(rawBody)))
  return `v1,${btoa(String.fromCharCode(...digest))}`
}

function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret
  const usable = (one: unknown) => typeof one === 'string' && one !== '' && one.trim() === one
  if (!Array.isArray(secrets) || secrets.length === 0 || !secrets.every(usable))
    throw new TypeError('the secret must be a text, or several, without white space around it')
  return secrets
}

function bytesOf(rawBody: RawBody): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return encoder.encode(rawBody)
  // Not instanceof, because test runners pass bytes of another realm.
  if (ArrayBuffer.isView(rawBody))
    return Uint8Array.from(new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength))
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') return new Uint8Array(rawBody)
  throw new TypeError('the body must be the raw bytes of the request, or their text; it was parsed already')
}

/** Names only the header: with its value a forged request could write into the log. */
const malformed = (name: string) =>
  new WebhookVerificationError('malformed_header', `the header ${name} is malformed`)

type Bytes = Uint8Array<ArrayBuffer>
type SignedHeaders = {
  /** What is signed before the body. */
  head: string
  timestamp: number
  signatures: Bytes[]
  keyOf: (secret: string) => Bytes
  /** Whether the timestamp is that of the attempt, and not of the event. */
  ofAttempt: boolean
}

function readHeaders(headers: WebhookHeaders): SignedHeaders {
  const isStandard = isPresent(headers, 'webhook-signature') || !isPresent(headers, 'X-Service-Signature')
  if (!isStandard) {
    const timestamp = headerOf(headers, 'X-Service-Timestamp', TIMESTAMP)
    const signatures = [readSignature(headers)]
    return {
      head: `${timestamp}.`,
      timestamp: Number(timestamp),
      signatures,
      keyOf: textKey,
      ofAttempt: false,
    }
  }
  const signatures = readStandardSignatures(headers)
  const timestamp = headerOf(headers, 'webhook-timestamp', TIMESTAMP)
  const head = `${headerOf(headers, 'webhook-id', /^[\w-]{1,128}$/)}.${timestamp}.`
  return { head, timestamp: Number(timestamp), signatures, keyOf: base64Key, ofAttempt: true }
}

const TIMESTAMP = /^(0|[1-9]\d{0,11})$/

function readSignature(headers: WebhookHeaders): Bytes {
  const name = 'X-Service-Signature'
  const [scheme, hex = ''] = headerOf(headers, name, /^[a-z0-9-]{1,32}=[^=]*$/).split('=')
  if (scheme !== 'sha256') throw unknownScheme('sha256')
  if (!/^[0-9a-f]{64}$/.test(hex)) throw malformed(name)
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** Several are separated by spaces, and those of other versions are passed over, as Standard Webhooks has it. */
function readStandardSignatures(headers: WebhookHeaders): Bytes[] {
  const name = 'webhook-signature'
  const all = headerOf(headers, name, /^v\w{1,8},[^ ,]+( v\w{1,8},[^ ,]+)*$/).split(' ')
  const ours = all.filter((one) => one.startsWith('v1,')).map((one) => one.slice('v1,'.length))
  if (ours.length === 0) throw unknownScheme('v1')
  if (!ours.every((one) => /^[A-Za-z0-9+/]{43}=$/.test(one))) throw malformed(name)
  return ours.map(fromBase64)
}

const unknownScheme = (known: string) =>
  new WebhookVerificationError('unknown_scheme', `the signature is not of the scheme ${known}`)

/**
 * A repeated header is refused, because two programs might read different values. Fetch joins them, which matches no
 * pattern.
 */
function headerOf(headers: WebhookHeaders, name: string, pattern: RegExp): string {
  const values = valuesOf(headers, name)
  const [value] = values
  if (value === undefined)
    throw new WebhookVerificationError('missing_header', `the header ${name} is missing`)
  if (values.length > 1 || typeof value !== 'string' || !pattern.test(value)) throw malformed(name)
  return value
}

const isPresent = (headers: WebhookHeaders, name: string) => valuesOf(headers, name).length > 0

const valuesOf = (headers: WebhookHeaders, name: string) =>
  (isFetchHeaders(headers)
    ? [headers.get(name)]
    : Object.entries(headers).flatMap(([key, value]) => (sameName(key, name) ? [value] : []))
  ).filter((value) => value !== undefined && value !== null)

const isFetchHeaders = (headers: WebhookHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function'

const sameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

function signedBytes(text: string, body: Uint8Array): Bytes {
  const head = encoder.encode(text)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

/** Always compares all bytes of all pairs, so that the time does not show what matches. */
async function matchesAny(
  keys: readonly Bytes[],
  signatures: readonly Bytes[],
  signed: Bytes,
): Promise<boolean> {
  const digests = await Promise.all(keys.map((key) => digestOf(key, signed)))
  const pairs = digests.flatMap((digest) => signatures.map((signature) => isEqual(digest, signature)))
  return pairs.includes(true)
}

/** Of the same length. */
const isEqual = (a: Bytes, b: Bytes) =>
  a.reduce((differs, byte, i) => differs | (byte ^ (b[i] ?? 0)), 0) === 0

async function digestOf(key: Bytes, signed: Bytes): Promise<Bytes> {
  const { subtle } = await webCrypto()
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  return new Uint8Array(
    await subtle.sign('HMAC', await subtle.importKey('raw', key, hmac, false, ['sign']), signed),
  )
}

const textKey = (secret: string) => encoder.encode(secret)

/** What the text after `whsec_` means as base64. An empty key would accept what anyone signs. */
function base64Key(secret: string): Bytes {
  const text = secret.replace(/^whsec_/, '').replace(/={1,2}$/, '')
  if (!/^[A-Za-z0-9+/]{2,}$/.test(text) || text.length % 4 === 1)
    throw new TypeError('the secret must be whsec_ and base64, as it was shown when the webhook was created')
  return fromBase64(text)
}

const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

/**
 * `crypto` is global everywhere except in Node 18. The name is a variable, so that bundlers do not try to resolve it.
 */
async function webCrypto(): Promise<{ subtle: typeof globalThis.crypto.subtle }> {
  if ('crypto' in globalThis) return globalThis.crypto
  const name = 'node:crypto'
  return ((await import(name)) as { webcrypto: typeof globalThis.crypto }).webcrypto
}

function checkTime(aheadSeconds: number, toleranceSeconds: number, ofAttempt: boolean): void {
  if (Math.abs(aheadSeconds) <= toleranceSeconds) return
  const [code, when] =
    aheadSeconds < 0
      ? (['timestamp_too_old', `signed ${Math.round(-aheadSeconds)} s ago`] as const)
      : (['timestamp_too_new', `signed for ${Math.round(aheadSeconds)} s from now`] as const)
  const why = ofAttempt
    ? ': a request that was sent again by others, or the clock of this machine is wrong'
    : ''
  throw new WebhookVerificationError(code, `${when}${why}`, !ofAttempt)
}

function parseEvent(body: Uint8Array): WebhookEvent {
  const event = parseJson(body)
  const isEvent =
    typeof event === 'object' &&
    event !== null &&
    ['event', 'delivery_id', 'occurred_at'].every(
      (key) => typeof (event as Record<string, unknown>)[key] === 'string',
    )
  if (!isEvent) throw new WebhookVerificationError('malformed_body', 'the body is not an event')
  return event as WebhookEvent
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined // signed, but not JSON: the same result as for any other value that is not an event
  }
}
