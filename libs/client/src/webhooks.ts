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

  constructor(code: WebhookRefusal, message: string) {
    super(message)
    this.code = code
  }

  /**
   * The signature is correct and only the time is not: a late delivery or a replay. If a late delivery is refused, two
   * more attempts with the same timestamp follow. So answer 2xx, change nothing, and read the report.
   */
  get isGenuine(): boolean {
    return this.code === 'timestamp_too_old' || this.code === 'timestamp_too_new'
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
   * How far the signed timestamp may be before or after now; default 300. It is the time of the scan, not of the
   * delivery. If readers store reads while they are offline and send them later, use 86 700 (24 hours and 5 minutes).
   */
  toleranceSeconds?: number
  /** Milliseconds since 1970; for tests. */
  now?: () => number
}

const DEFAULT_TOLERANCE_SECONDS = 300
const encoder = new TextEncoder()

/**
 * Returns the event of a delivery. Throws WebhookVerificationError if the request is not a valid delivery. Throws
 * TypeError for a mistake of the calling program: no secret, a body that was parsed already, an invalid tolerance. Of
 * several secrets any may match: while a webhook is deleted and created again, the receiver needs both.
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
  const timestamp = readTimestamp(headers)
  const signature = readSignature(headers)
  const signed = signedBytes(timestamp, bytesOf(rawBody))
  if (!(await matchesAny(secrets, signature, signed)))
    throw new WebhookVerificationError('signature_mismatch', 'the signature does not match the body')
  // After the signature: an unsigned timestamp proves nothing, and `isGenuine` must be reliable.
  checkTime(Number(timestamp) - now() / 1000, toleranceSeconds)
}

/** `sha256=<hex>`, the value of `X-Service-Signature`, for tests of a receiver. */
export async function webhookSignature(rawBody: RawBody, timestamp: string, secret: string): Promise<string> {
  const { subtle } = await webCrypto()
  const key = await importKey(subtle, secret, 'sign')
  const digest = new Uint8Array(await subtle.sign('HMAC', key, signedBytes(timestamp, bytesOf(rawBody))))
  return `sha256=${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
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

function readTimestamp(headers: WebhookHeaders): string {
  const name = 'X-Service-Timestamp'
  const value = headerOf(headers, name)
  if (!/^(0|[1-9]\d{0,11})$/.test(value)) throw malformed(name)
  return value
}

function readSignature(headers: WebhookHeaders): Uint8Array<ArrayBuffer> {
  const name = 'X-Service-Signature'
  const [, scheme, hex] = /^([a-z0-9-]{1,32})=([^=]*)$/.exec(headerOf(headers, name)) ?? []
  if (scheme === undefined || hex === undefined) throw malformed(name)
  if (scheme !== 'sha256')
    throw new WebhookVerificationError('unknown_scheme', 'the signature is not of the scheme sha256')
  if (!/^[0-9a-f]{64}$/.test(hex)) throw malformed(name)
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/**
 * A repeated header is refused, because two programs might read different values. Fetch joins them, which matches no
 * pattern.
 */
function headerOf(headers: WebhookHeaders, name: string): string {
  const values = isFetchHeaders(headers)
    ? [headers.get(name)]
    : Object.entries(headers).flatMap(([key, value]) => (sameName(key, name) ? [value] : []))
  const present = values.filter((value) => value !== undefined && value !== null)
  const [value] = present
  if (value === undefined)
    throw new WebhookVerificationError('missing_header', `the header ${name} is missing`)
  if (present.length > 1 || typeof value !== 'string') throw malformed(name)
  return value
}

const isFetchHeaders = (headers: WebhookHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function'

const sameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

function signedBytes(timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(`${timestamp}.`)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

/** Always tries all secrets, so that the time does not show which one matches. WebCrypto compares in constant time. */
async function matchesAny(
  secrets: readonly string[],
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const { subtle } = await webCrypto()
  const verify = async (secret: string) =>
    subtle.verify('HMAC', await importKey(subtle, secret, 'verify'), signature, signed)
  return (await Promise.all(secrets.map(verify))).includes(true)
}

type Subtle = typeof globalThis.crypto.subtle

const importKey = (subtle: Subtle, secret: string, usage: 'sign' | 'verify') =>
  subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [usage])

/**
 * `crypto` is global everywhere except in Node 18. The name is a variable, so that bundlers do not try to resolve it.
 */
async function webCrypto(): Promise<{ subtle: Subtle }> {
  if ('crypto' in globalThis) return globalThis.crypto
  const name = 'node:crypto'
  return ((await import(name)) as { webcrypto: { subtle: Subtle } }).webcrypto
}

function checkTime(aheadSeconds: number, toleranceSeconds: number): void {
  if (aheadSeconds < -toleranceSeconds)
    throw new WebhookVerificationError('timestamp_too_old', `signed ${Math.round(-aheadSeconds)} s ago`)
  if (aheadSeconds > toleranceSeconds)
    throw new WebhookVerificationError(
      'timestamp_too_new',
      `signed for ${Math.round(aheadSeconds)} s from now`,
    )
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
