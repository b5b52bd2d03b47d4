import type { onSendHookHandler } from 'fastify'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Encoding = 'br' | 'gzip' | 'identity'

/** The best encoding that `Accept-Encoding` allows. */
export function encodingFor(acceptEncoding = ''): Encoding {
  const accepted = new Set(
    acceptEncoding
      .split(',')
      .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
      .map((part) => part.split(';', 1)[0]?.trim().toLowerCase()),
  )
  return (['br', 'gzip'] as const).find((each) => accepted.has(each)) ?? 'identity'
}

/** Smaller answers fit into one packet, compressed or not. In characters. */
const LEAST = 1_024
/** Of Brotli: half the time of the quality that saves another tenth. Gzip has its default. */
const QUALITY = 4

/**
 * Compresses a successful answer as the client accepts (D12.7), in a thread of its own. Errors stay as they are, because the
 * gateway completes their request id. Files are streams and stay as they are, too.
 */
export const compress: onSendHookHandler = (request, reply, payload, done) => {
  if (typeof payload !== 'string' || payload.length < LEAST || reply.statusCode >= 300)
    return done(null, payload)
  reply.header('vary', withEncoding(reply.getHeader('vary')))
  const encoding = encodingFor(request.headers['accept-encoding'])
  if (encoding === 'identity') return done(null, payload)
  reply.header('content-encoding', encoding)
  if (encoding === 'gzip') gzip(payload, done)
  else
    brotliCompress(
      payload,
      {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: payload.length,
        },
      },
      done,
    )
}

const withEncoding = (vary: unknown) =>
  typeof vary === 'string' ? `${vary}, Accept-Encoding` : 'Accept-Encoding'
