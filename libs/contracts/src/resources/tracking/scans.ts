import { z } from 'zod'
import { booleanParameter, dataOf } from '../../rules/query.ts'
import { DecodedMessage, ReaderMessageView } from './reader-messages.ts'
import { ReaderKey } from './readers.ts'
import type { Route } from '../../route.ts'
import { addProblem, text } from '../../rules/text.ts'

/** The largest message of a reader, over NATS, MQTT and HTTPS. */
export const MAX_MESSAGE_BYTES = 256 * 1024

/** One token of a subject. An unknown format is accepted, and shown as a problem of the reader, as over NATS and MQTT. */
const MessageFormat = text(1, 32)
  .check((payload) => {
    if (payload.value !== '' && !/^[A-Za-z0-9_-]+$/.test(payload.value))
      addProblem(payload, {
        code: 'invalid_value',
        message: '{f} must contain only letters, digits, hyphens and underscores',
      })
  })
  .meta({ override: { pattern: '^[A-Za-z0-9_-]+$', minLength: 1, maxLength: 32 }, example: 'canonical' })

export const scanRoutes = {
  sendReaderMessage: {
    method: 'POST',
    path: '/scans/{reader_key}/{format}',
    upstream: 'tracking',
    access: 'scans:write',
    counted: false,
    described: true,
    summary: 'Send a message of a reader',
    description:
      'For readers that send over HTTPS. The body is the message as the device makes it, in the format that the path ' +
      'names, of any media type. The response is 202 as soon as the message is stored, even one that cannot be read: the health ' +
      'of the reader shows what was not understood. The reader need not exist yet. A device that cannot request a ' +
      'token may send the id and the secret of the key by HTTP Basic. Any `User-Agent` is accepted. A reader may ' +
      'send 50 messages a second, and all readers together as many as the keys of the organization allow; beyond ' +
      'that, the response is 429. A body with `Content-Encoding: gzip` or `deflate` is unpacked; 256 KiB is the limit before and ' +
      'after that. With `check=true`, a key that is bound to the reader gets what would become of the message, and ' +
      'nothing is stored. Other parameters are ignored.',
    params: z.strictObject({ reader_key: ReaderKey, format: MessageFormat }),
    query: z.strictObject({ check: booleanParameter.optional() }),
    message: { maxBytes: MAX_MESSAGE_BYTES },
    forDevices: true,
    success: { status: 202, checked: dataOf(DecodedMessage) },
    errors: ['validation_error', 'rate_limited'],
  },
  listMessagesOfKey: {
    method: 'GET',
    path: '/scans/{reader_key}/messages',
    upstream: 'tracking',
    access: 'scans:write',
    counted: false,
    described: true,
    summary: 'List the last messages of a reader with a problem, with the key of the reader',
    description:
      'For the person who sets up the device. Only a key that is bound to the reader may ask, by a token or by HTTP Basic. Any `User-Agent` is ' +
      'accepted. The list is that of `GET /readers/{reader_id}/messages`. It is empty for a reader that is not set up and sent ' +
      'nothing, which asking does not change.',
    params: z.strictObject({ reader_key: ReaderKey }),
    forDevices: true,
    success: { status: 200, schema: dataOf(z.array(ReaderMessageView)) },
    errors: ['validation_error', 'rate_limited'],
  },
} as const satisfies Record<string, Route>
