import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import {
  isAssetMoved,
  standardWebhookSignature,
  verifyWebhook,
  verifyWebhookSignature,
  webhookSignature,
  WebhookVerificationError,
  type RawBody,
  type VerifyOptions,
  type WebhookHeaders,
} from './webhooks.ts'

const VECTOR = {
  secret: 'whsec_test',
  timestamp: '1753452192',
  body: '{"a":1}',
  signature: 'sha256=d9a5a690a7b324dc43a07dcefcbf7274464107255792917d25cf423d84c3f1bc',
}
const at = (timestamp: string | number): VerifyOptions => ({ now: () => Number(timestamp) * 1000 })

const event = {
  event: 'asset.moved',
  delivery_id: '5f6c1b52-6f5b-5d0c-8a43-0d5f2c1a9e77',
  occurred_at: '2025-07-25T14:03:12.345Z',
  data: {
    asset: { id: 4503599627370497, external_key: 'FORKLIFT-7', name: 'Gabelstapler № 7' },
    from_location: null,
    to_location: { id: 4503599627370513, name: 'Dock 1' },
  },
}
const eventBody = JSON.stringify(event)

async function signed(body: RawBody, { secret = VECTOR.secret, timestamp = VECTOR.timestamp } = {}) {
  return {
    'x-service-event': 'asset.moved',
    'x-service-timestamp': timestamp,
    'x-service-signature': await webhookSignature(body, timestamp, secret),
  }
}

/** The code with which a request is refused; undefined if it is accepted. */
async function refusal(
  body: RawBody,
  headers: WebhookHeaders,
  secret: string | string[] = VECTOR.secret,
  options: VerifyOptions = at(VECTOR.timestamp),
): Promise<string | undefined> {
  try {
    await verifyWebhookSignature(body, headers, secret, options)
    return undefined
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code
    throw error
  }
}

describe('D11.2 the signature', () => {
  const headers = { 'X-Service-Timestamp': VECTOR.timestamp, 'X-Service-Signature': VECTOR.signature }

  test('of the known vector is computed and accepted', async () => {
    expect(await webhookSignature(VECTOR.body, VECTOR.timestamp, VECTOR.secret)).toBe(VECTOR.signature)
    expect(await refusal(VECTOR.body, headers)).toBeUndefined()
  })

  const bytes = new TextEncoder().encode(VECTOR.body)
  const padded = new Uint8Array([0, ...bytes, 0])
  test.for<[string, RawBody]>([
    ['a string', VECTOR.body],
    ['a Buffer', Buffer.from(VECTOR.body)],
    ['a Uint8Array', bytes],
    ['a view into a larger buffer', padded.subarray(1, -1)],
    ['an ArrayBuffer', bytes.buffer],
  ])('is checked over the bytes of %s', async ([, body]) => {
    expect(await refusal(body, headers)).toBeUndefined()
    expect(await refusal(body, { ...headers, 'X-Service-Signature': `sha256=${'0'.repeat(64)}` })).toBe(
      'signature_mismatch',
    )
  })

  test('covers the exact bytes: the same value in another notation is refused', async () => {
    for (const body of ['{"a": 1}', '{"a":1}\n', '{"a":1.0}', ''])
      expect(await refusal(body, headers)).toBe('signature_mismatch')
  })

  test('covers bytes that are not UTF-8', async () => {
    const body = Uint8Array.of(0xff, 0x00, 0xfe)
    expect(await refusal(body, await signed(body))).toBeUndefined()
  })

  test('fails if any bit of body, timestamp, signature or secret is flipped', async () => {
    // A flipped timestamp may be far away, and the tolerance must not cause the refusal.
    const options = { toleranceSeconds: Number.POSITIVE_INFINITY }
    for (const body of [Buffer.from(eventBody), randomBytes(1), randomBytes(64)]) {
      const secret = `whsec_${randomBytes(32).toString('hex')}`
      const timestamp = String(1_700_000_000 + randomBytes(3).readUIntBE(0, 3))
      const good = { body, secret, timestamp, signature: await webhookSignature(body, timestamp, secret) }
      const taken = ({ body: raw, ...d }: typeof good) =>
        verifyWebhookSignature(raw, { 'x-service-timestamp': d.timestamp, 'x-service-signature': d.signature }, d.secret, options) // oxfmt-ignore
      await taken(good)
      for (const part of ['body', 'timestamp', 'signature', 'secret'] as const)
        for (const [bit, value] of flips(Buffer.from(good[part]))) {
          const changed = { ...good, [part]: part === 'body' ? value : value.toString('latin1') }
          await expect(taken(changed), `${part}, bit ${bit}: ${JSON.stringify(good)}`).rejects.toThrow()
        }
    }
  })
})

function* flips(bytes: Buffer): Generator<[number, Buffer]> {
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const flipped = Buffer.from(bytes)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    yield [bit, flipped]
  }
}

describe('the headers', () => {
  test('may be those of Fetch, those of Node, or an object with names in any case', async () => {
    const lower = await signed(eventBody)
    const node: IncomingHttpHeaders = { ...lower, 'set-cookie': ['a', 'b'] }
    const upper = Object.fromEntries(
      Object.entries(lower).map(([name, value]) => [name.toUpperCase(), value]),
    )
    for (const headers of [new Headers(lower), node, upper])
      expect(await verifyWebhook(eventBody, headers, VECTOR.secret, at(VECTOR.timestamp))).toEqual(event)
  })

  const good = { 'x-service-timestamp': VECTOR.timestamp, 'x-service-signature': VECTOR.signature }
  const hex = VECTOR.signature.slice('sha256='.length)
  test.for<[string, WebhookHeaders, string]>([
    ['no timestamp', { 'x-service-signature': VECTOR.signature }, 'missing_header'],
    ['no signature', { 'x-service-timestamp': VECTOR.timestamp }, 'missing_header'],
    ['an undefined one', { ...good, 'x-service-signature': undefined }, 'missing_header'],
    ['an array', { ...good, 'x-service-signature': [VECTOR.signature] }, 'malformed_header'],
    ['two spellings', { ...good, 'X-Service-Timestamp': VECTOR.timestamp }, 'malformed_header'],
    ['a bare digest', { ...good, 'x-service-signature': hex }, 'malformed_header'],
    ['another scheme', { ...good, 'x-service-signature': `sha1=${hex.slice(24)}` }, 'unknown_scheme'],
    ['the scheme in capitals', { ...good, 'x-service-signature': `SHA256=${hex}` }, 'malformed_header'],
    ['a short digest', { ...good, 'x-service-signature': `sha256=${hex.slice(2)}` }, 'malformed_header'],
    ['a long digest', { ...good, 'x-service-signature': `sha256=${hex}00` }, 'malformed_header'],
    ['an empty digest', { ...good, 'x-service-signature': 'sha256=' }, 'malformed_header'],
    [
      'a digest in capitals',
      { ...good, 'x-service-signature': `sha256=${hex.toUpperCase()}` },
      'malformed_header',
    ],
    ['a time with a sign', { ...good, 'x-service-timestamp': `+${VECTOR.timestamp}` }, 'malformed_header'],
    [
      'a time with a fraction',
      { ...good, 'x-service-timestamp': `${VECTOR.timestamp}.0` },
      'malformed_header',
    ],
    [
      'a time with a zero in front',
      { ...good, 'x-service-timestamp': `0${VECTOR.timestamp}` },
      'malformed_header',
    ],
    ['an empty time', { ...good, 'x-service-timestamp': '' }, 'malformed_header'],
  ])('with %s are refused', async ([, headers, code]) => {
    expect(await refusal(VECTOR.body, headers)).toBe(code)
  })

  test('sent twice are refused, as Fetch and Node join them', async () => {
    const twice = new Headers(good)
    twice.append('x-service-signature', VECTOR.signature)
    expect(await refusal(VECTOR.body, twice)).toBe('malformed_header')
  })

  test('are not quoted in the error, which may be logged', async () => {
    const hostile = { ...good, 'x-service-signature': 'sha256=\u001b[31mfake log line' }
    await expect(verifyWebhook(VECTOR.body, hostile, VECTOR.secret)).rejects.toThrow(
      /^the header X-Service-Signature is malformed$/,
    )
  })
})

describe('the timestamp', () => {
  const now = Number(VECTOR.timestamp)
  const headers = { 'x-service-timestamp': VECTOR.timestamp, 'x-service-signature': VECTOR.signature }

  test.for<[number, number | undefined, string | undefined]>([
    [300, undefined, undefined],
    [301, undefined, 'timestamp_too_old'],
    [-300, undefined, undefined],
    [-301, undefined, 'timestamp_too_new'],
    [86_700, 86_700, undefined],
    [86_701, 86_700, 'timestamp_too_old'],
    [0, 0, undefined],
    [1, 0, 'timestamp_too_old'],
    [1e9, Number.POSITIVE_INFINITY, undefined],
  ])('%i s old with a tolerance of %s: %s', async ([age, toleranceSeconds, code]) => {
    const options = { ...at(now + age), ...(toleranceSeconds !== undefined && { toleranceSeconds }) }
    expect(await refusal(VECTOR.body, headers, VECTOR.secret, options)).toBe(code)
  })

  test('is compared with the clock of this machine by default', async () => {
    expect(await refusal(VECTOR.body, headers, VECTOR.secret, {})).toBe('timestamp_too_old')
    const fresh = String(Math.floor(Date.now() / 1000))
    expect(await refusal('{}', await signed('{}', { timestamp: fresh }), VECTOR.secret, {})).toBeUndefined()
  })

  test('is checked only after the signature, so that isGenuine is reliable', async () => {
    const later = at(now + 1_000)
    const forged = { ...headers, 'x-service-signature': `sha256=${'0'.repeat(64)}` }
    expect(await refusal(VECTOR.body, forged, VECTOR.secret, later)).toBe('signature_mismatch')
    await expect(verifyWebhook(VECTOR.body, headers, VECTOR.secret, later)).rejects.toMatchObject({
      isGenuine: true,
    })
    await expect(verifyWebhook(VECTOR.body, forged, VECTOR.secret, later)).rejects.toMatchObject({
      isGenuine: false,
    })
  })
})

describe('the secret', () => {
  test('may be one of several while a webhook is replaced', async () => {
    const [older, newer] = ['whsec_older', 'whsec_newer']
    for (const secret of [older, newer])
      expect(await refusal(eventBody, await signed(eventBody, { secret }), [older, newer])).toBeUndefined()
    expect(await refusal(eventBody, await signed(eventBody), [older, newer])).toBe('signature_mismatch')
  })

  test.for<[string | string[]]>([[''], [[]], [['whsec_a', '']], ['whsec_a\n'], [undefined as never]])(
    '%j is a mistake of the calling program, not of the request',
    async ([secret]) => {
      const headers = await signed(eventBody)
      await expect(verifyWebhook(eventBody, headers, secret, at(VECTOR.timestamp))).rejects.toThrow(TypeError)
    },
  )
})

describe('the body', () => {
  test('becomes a typed event', async () => {
    const got = await verifyWebhook(eventBody, await signed(eventBody), VECTOR.secret, at(VECTOR.timestamp))
    expect(got).toEqual(event)
    expect(isAssetMoved(got) && got.data.asset.external_key).toBe('FORKLIFT-7')
  })

  test('of an unknown kind of event is accepted, with all its fields', async () => {
    const later = { ...event, event: 'asset.rested', data: { rest: 7 }, sequence: 3 }
    const body = JSON.stringify(later)
    const got = await verifyWebhook(body, await signed(body), VECTOR.secret, at(VECTOR.timestamp))
    expect(got).toEqual(later)
    expect(isAssetMoved(got)).toBe(false)
  })

  test.for(['{"a":1}', '', 'null', '[]', '"x"', '{', '{"event":1,"delivery_id":"a","occurred_at":"b"}'])(
    '%j is not an event, even with a correct signature',
    async (body) => {
      const verifying = verifyWebhook(body, await signed(body), VECTOR.secret, at(VECTOR.timestamp))
      await expect(verifying).rejects.toMatchObject({ code: 'malformed_body', isGenuine: false })
    },
  )

  test('that was parsed already is a mistake of the calling program', async () => {
    const headers = await signed(eventBody)
    const verifying = verifyWebhook(event as never, headers, VECTOR.secret, at(VECTOR.timestamp))
    await expect(verifying).rejects.toThrow(/parsed already/)
  })
})

test.for([Number.NaN, -1])(
  'a tolerance of %s is a mistake of the calling program',
  async (toleranceSeconds) => {
    const verifying = verifyWebhook(eventBody, await signed(eventBody), VECTOR.secret, { toleranceSeconds })
    await expect(verifying).rejects.toThrow(TypeError)
  },
)

describe('D13.6 webhook-signature', () => {
  const now = 1_795_600_000
  const [older, newer] = [`whsec_${'0123456789abcdef'.repeat(4)}`, `whsec_${'fedcba9876543210'.repeat(4)}`]
  const id = event.delivery_id

  /** The headers of an attempt, with those of the scan, which may be days older. */
  async function attempt({ body = eventBody, secrets = [newer], age = 0, scanAge = 0 } = {}) {
    const [timestamp, scan] = [String(now - age), String(now - scanAge)]
    const signatures = secrets.map((secret) => standardWebhookSignature(body, id, timestamp, secret))
    return {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': (await Promise.all(signatures)).join(' '),
      'x-service-timestamp': scan,
      'x-service-signature': await webhookSignature(body, scan, newer),
    }
  }
  const verdict = (headers: WebhookHeaders, body: RawBody = eventBody, secret: string | string[] = newer) =>
    refusal(body, headers, secret, at(now))

  test('of the known vector of Standard Webhooks is computed, and of our secrets, which are hex', async () => {
    const vector = [
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '1614265330',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ] as const
    expect(await standardWebhookSignature('{"test": 2432232314}', ...vector)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
    const key = Buffer.from(newer.slice('whsec_'.length), 'base64')
    const digest = createHmac('sha256', key).update(`${id}.${now}.${eventBody}`).digest('base64')
    expect(await standardWebhookSignature(eventBody, id, String(now), newer)).toBe(`v1,${digest}`)
  })

  test('D13.8 decides, so what is replayed, resent or extended days after the scan verifies', async () => {
    for (const scanAge of [0, 3_600, 72 * 3_600, 7 * 86_400]) {
      const headers = await attempt({ scanAge })
      expect(await verifyWebhook(eventBody, new Headers(headers), newer, at(now))).toEqual(event)
      const changed = { ...headers, 'x-service-signature': `sha256=${'0'.repeat(64)}` }
      expect(await verdict(changed)).toBeUndefined()
    }
  })

  test('that is wrong is refused, also if X-Service-Signature is right', async () => {
    const good = await attempt()
    expect(await verdict(good, eventBody.replace('FORKLIFT-7', 'FORKLIFT-8'))).toBe('signature_mismatch')
    expect(await verdict(good, `${eventBody} `)).toBe('signature_mismatch')
    expect(await verdict(await attempt({ secrets: [older] }))).toBe('signature_mismatch')
    for (const name of ['webhook-id', 'webhook-timestamp'] as const)
      expect(
        await verdict({ ...good, [name]: good[name].replace(/.$/, (last) => (last === '1' ? '2' : '1')) }),
      ).toBe('signature_mismatch')
  })

  test('may be two after a rotation: a receiver with either secret verifies', async () => {
    const both = await attempt({ secrets: [newer, older] })
    for (const secret of [older, newer, [older, newer], [newer, `whsec_${'00'.repeat(32)}`]])
      expect(await verdict(both, eventBody, secret)).toBeUndefined()
    expect(await verdict(both, eventBody, `whsec_${'00'.repeat(32)}`)).toBe('signature_mismatch')
    const later = { ...both, 'webhook-signature': `v2,abc v1a,x== ${both['webhook-signature']}` }
    expect(await verdict(later)).toBeUndefined()
  })

  test('an attempt may be five minutes old; an older one is no late delivery, and is refused', async () => {
    for (const age of [300, -300])
      expect(await verdict(await attempt({ age, scanAge: 9_999 }))).toBeUndefined()
    expect(await verdict(await attempt({ age: 301 }))).toBe('timestamp_too_old')
    expect(await verdict(await attempt({ age: -301 }))).toBe('timestamp_too_new')
    const verifying = verifyWebhook(eventBody, await attempt({ age: 301 }), newer, at(now))
    await expect(verifying).rejects.toMatchObject({
      isGenuine: false,
      message: expect.stringContaining('clock'),
    })
    const forged = { ...(await attempt({ age: 301 })), 'webhook-signature': `v1,${'A'.repeat(43)}=` }
    expect(await verdict(forged)).toBe('signature_mismatch')
  })

  test('is in no other form', async () => {
    const good = await attempt()
    const signature = good['webhook-signature']
    const { 'webhook-id': _, ...withoutId } = good
    const { 'webhook-timestamp': __, ...withoutTime } = good
    const twice = new Headers(good)
    twice.append('webhook-signature', signature)
    for (const [headers, code] of [
      [withoutId, 'missing_header'],
      [withoutTime, 'missing_header'],
      [{}, 'missing_header'],
      [twice, 'malformed_header'],
      [{ ...good, 'Webhook-Signature': signature }, 'malformed_header'],
      [{ ...good, 'webhook-id': `${id}.1` }, 'malformed_header'],
      [{ ...good, 'webhook-timestamp': `${now}.0` }, 'malformed_header'],
      [{ ...good, 'webhook-signature': '' }, 'malformed_header'],
      [{ ...good, 'webhook-signature': signature.slice('v1,'.length) }, 'malformed_header'],
      [{ ...good, 'webhook-signature': signature.slice(0, -2) }, 'malformed_header'],
      [{ ...good, 'webhook-signature': `${signature}\n` }, 'malformed_header'],
      [{ ...good, 'webhook-signature': signature.replace('v1', 'v2') }, 'unknown_scheme'],
    ] as const)
      expect(await verdict(headers), JSON.stringify(headers)).toBe(code)
  })

  test.for(['whsec_', 'whsec_a', 'whsec_not base64', 'whsec_äöü'])(
    'with the secret %j, which is no key, is a mistake of the calling program',
    async (secret) => {
      await expect(verifyWebhook(eventBody, await attempt(), secret, at(now))).rejects.toThrow(TypeError)
    },
  )
})
