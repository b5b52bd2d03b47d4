import type { FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, inflate, inflateRaw } from 'node:zlib'
import { AppError } from '../../errors/app-error.ts'
import { bodyTooLarge, unsupportedEncoding } from '../../errors/errors.ts'

type Headers = Pick<IncomingHttpHeaders, 'content-encoding'>
export type Packing = 'gzip' | 'deflate'
const PACKINGS: readonly Packing[] = ['gzip', 'deflate']

/** How a body is packed; undefined if it is not. Throws 415 for what `unpack` does not know, and for two at once. */
export function packingOf(headers: Headers): Packing | undefined {
  const [name, another] = encodingsOf(headers)
  if (name === undefined) return undefined
  const packing = PACKINGS.find((each) => each === name || `x-${each}` === name)
  if (packing === undefined || another !== undefined) throw unsupportedEncoding(PACKINGS)
  return packing
}

/** Throws 415 for a packed body. */
export function refusePacked(headers: Headers): void {
  if (encodingsOf(headers).length > 0) throw unsupportedEncoding([])
}

const encodingsOf = ({ 'content-encoding': header = '' }: Headers): string[] =>
  header
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')

const unpackers = { gzip: promisify(gunzip), deflate: promisify(inflate), raw: promisify(inflateRaw) }

/**
 * The body of a request as it was before it was packed. Throws 413 as soon as it has more than `maxBytes`, so a small body never
 * becomes a large one, and 400 for one that cannot be unpacked.
 */
export async function unpack({ headers, body }: FastifyRequest, maxBytes: number): Promise<Buffer> {
  const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0)
  const packing = packingOf(headers)
  if (packing === undefined) return bytes
  const kind = packing === 'deflate' && !isZlib(bytes) ? 'raw' : packing
  return unpackers[kind](bytes, { maxOutputLength: maxBytes }).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? bodyTooLarge(maxBytes)
      : cannotUnpack(packing, error)
  })
}

/** `deflate` is a stream with the header of zlib (RFC 9110, 8.4.1.2), which some clients leave out. */
const isZlib = (bytes: Buffer): boolean =>
  bytes.length > 1 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0

const cannotUnpack = (packing: Packing, cause: unknown) =>
  new AppError('bad_request', `The request body is not ${packing}, as its Content-Encoding says`, { cause })
