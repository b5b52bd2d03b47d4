import { DECODED_READS, type DecodeRequest } from '@whereabouts/contracts/resources/tracking/reader-messages'
import { lacksMapping, MAPPING_REQUIRED } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import { readerPresets } from '@whereabouts/contracts/resources/tracking/reader-presets'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { invalidToken, serviceUnavailable, validationFailed } from '@whereabouts/service-kit/errors/errors'
import { RateBuckets } from '@whereabouts/service-kit/limits/rate-buckets'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tables } from '../../db.ts'
import { readerNotFound, tooManyDecodings } from '../../errors.ts'
import { decoderFor } from '../../formats/formats.ts'
import { refusal } from '../../readers/health/problem-message.ts'
import { DecodingTime } from '../../ingest/reads/decoding-time.ts'
import { findReads, type FindDeps } from '../../ingest/places/resolve.ts'
import { CatalogUnavailable } from '../../catalog/catalog-resolver.ts'
import { findReader, type ReaderRow } from '../../readers/readers.queries.ts'
import { messagesOf, type AskReaderUse } from './reader-use.ts'
import { problemsIn, toDecodedRead } from './decoded-read.ts'

export type ReaderMessageDeps = FindDeps & {
  db: TenantDatabase<Tables>
  askReaderUse: AskReaderUse
  now?: () => number
}

/** Messages that a user may decode, at each replica: an editor decodes while a person types. */
const PER_SECOND = 5
const BURST_SECONDS = 4

/** The messages of a reader that were not understood, and what would become of a message (D16.2). */
export function readerMessageHandlers({
  db,
  askReaderUse,
  now = Date.now,
  ...ingest
}: ReaderMessageDeps): Pick<
  Handlers<'tracking'>,
  'listReaderMessages' | 'decodeReaderMessage' | 'listReaderPresets'
> {
  const buckets = new RateBuckets(BURST_SECONDS)
  const time = new DecodingTime()
  const readerOf = async (orgId: number, id: number): Promise<ReaderRow> => {
    const reader = await findReader(db.forOrg(orgId), orgId, id)
    if (!reader) throw readerNotFound()
    return reader
  }
  return {
    listReaderPresets: async () => ({ data: [...readerPresets] }),

    async listReaderMessages({ principal: { orgId }, params: { reader_id } }) {
      const { reader_key } = await readerOf(orgId, reader_id)
      return { data: await messagesOf(db.forOrg(orgId), askReaderUse, orgId, reader_key) }
    },

    async decodeReaderMessage({ principal: { orgId, userId }, params: { reader_id }, body }) {
      if (userId === undefined) throw invalidToken() // a session has one
      if (!buckets.take(userId, now(), PER_SECOND) || time.isSpent(orgId)) throw tooManyDecodings()
      const reader = await readerOf(orgId, reader_id)
      const receivedAtMs = now()
      const decoded = time.measure(orgId, () => decode(reader, body, receivedAtMs))
      const shown = { ...decoded, reads: decoded.reads.slice(0, DECODED_READS) }
      const { reader_key: readerKey, time_source: timeSource } = reader
      const message = { orgId, readerKey, receivedAtMs, timeSource, decoded: shown }
      const found = await findReads(message, ingest).catch((error: unknown) => {
        throw error instanceof CatalogUnavailable ? serviceUnavailable(error) : error
      })
      const problems = [
        ...(decoded.refusal === undefined ? [] : [refusal(decoded.refusal)]),
        ...problemsIn(decoded, found),
      ]
      return { data: { reads: found.map(toDecodedRead), problems } }
    },
  }
}

/** As ingest would decode it, with the format and the mapping of the reader if the request names none. */
function decode(
  reader: ReaderRow,
  { message, format, mapping, topic = '' }: DecodeRequest,
  receivedAtMs: number,
) {
  const settings = {
    format: format ?? reader.format,
    mapping: mapping === undefined ? reader.mapping : mapping,
  }
  if (lacksMapping(settings)) throw validationFailed([MAPPING_REQUIRED])
  const decoder = decoderFor(settings.format)
  if (!decoder) throw new Error(`no decoder for the format ${settings.format}`)
  const bytes = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message))
  return decoder(bytes, {
    reader: reader.reader_key,
    received_at_ms: receivedAtMs,
    topic: topic === '' ? [] : topic.split('/'),
    ...(reader.timezone !== null && { timezone: reader.timezone }),
    time_source: reader.time_source,
    ...(settings.mapping !== null && { mapping: settings.mapping }),
  })
}
