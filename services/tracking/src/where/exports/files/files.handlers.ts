import { exportMediaTypes, type ExportFormat } from '@whereabouts/contracts/resources/tracking/exports'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { isKnownTo } from '@whereabouts/service-kit/http/headers/conditions'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import { FairGate } from '@whereabouts/service-kit/limits/fair-gate'
import type { Kysely } from 'kysely'
import { Readable } from 'node:stream'
import type { Db, Tables } from '../../../db.ts'
import { exportFileNotFound, rangeNotSatisfiable } from '../../../errors.ts'
import { findFile, findLinkKey, readPart, type ExportFileRow } from '../exports.queries.ts'
import { extensions } from '../formats/encode.ts'
import { PART_BYTES } from '../job/export-parts.ts'
import { Downloads } from './downloads.ts'
import { rangeOf, type ByteRange } from './ranges.ts'
import { isSigned } from './signatures.ts'

export type ExportFileDeps = {
  db: TenantDatabase<Tables>
  /** Sees the exports of all organizations. */
  across: Kysely<Tables>
}

/** Anyone may send wrong links. Looking them up takes two connections at most, and addresses take turns. */
const LOOKUPS = { running: 2, runningPerKey: 1, waiting: 1_000, waitingPerKey: 100, maxWaitMs: 5_000 }

export const exportFileHandlers = ({
  db,
  across,
}: ExportFileDeps): Pick<Handlers<'tracking'>, 'downloadExportFile'> => {
  const lookups = new FairGate<string>(LOOKUPS)
  const downloads = new Downloads()
  return {
    async downloadExportFile({ params: { export_id: id, file_name: name }, query, headers, clientAddress }) {
      const found = await lookups.run(addressBlock(clientAddress), () => findLinkKey(across, id))
      if (!found || !isSigned(found.key, name, query.signature)) throw exportFileNotFound()
      const own = db.forOrg(found.orgId)
      const file = await findFile(own, found.orgId, id, name)
      if (!file) throw exportFileNotFound()
      const etag = `"${file.sha256}"`
      if (isKnownTo(headers, etag)) return new Reply(Readable.from([]), { etag }) // which is sent as 304
      const range = rangeOf(headers, file.bytes, etag)
      if (range === 'unsatisfiable') throw rangeNotSatisfiable(file.bytes)
      const wanted = range === 'whole' ? { first: 0, last: file.bytes - 1 } : range
      const done = downloads.begin(found.orgId)
      const content = Readable.from(bytesOf(own, { orgId: found.orgId, id, file, wanted }), {
        objectMode: false,
      })
      content.once('close', done)
      return new Reply(content, {
        etag,
        'content-type': mediaTypeOf(name),
        'content-length': String(wanted.last - wanted.first + 1),
        'content-disposition': `attachment; filename="${name}"`,
        'accept-ranges': 'bytes',
        ...(range !== 'whole' && { 'content-range': `bytes ${range.first}-${range.last}/${file.bytes}` }),
      })
    },
  }
}

const mediaTypeOf = (name: string): string => {
  const formats = Object.keys(exportMediaTypes) as ExportFormat[]
  const format = formats.find((each) => name.endsWith(`.${extensions[each]}`))
  return exportMediaTypes[format ?? 'csv']
}

type Wanted = { orgId: number; id: number; file: ExportFileRow; wanted: ByteRange }

/** A part at a time, at the pace of the client. */
async function* bytesOf(db: Db, { orgId, id, file: { file }, wanted }: Wanted): AsyncGenerator<Buffer> {
  const { first, last } = wanted
  for (let part = Math.floor(first / PART_BYTES); part * PART_BYTES <= last; part += 1) {
    const body = await readPart(db, orgId, id, { file, part })
    if (!body) throw new Error('the export was removed during a download')
    const start = part * PART_BYTES
    yield body.subarray(Math.max(first - start, 0), last - start + 1)
  }
}
