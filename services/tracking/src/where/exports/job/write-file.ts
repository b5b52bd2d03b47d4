import { hasDays } from '@whereabouts/contracts/resources/tracking/exports'
import type { Batch } from '../batch.ts'
import { batchesOf, columnsOf, dayOfFile, type Source } from '../datasets.ts'
import { encode, extensions } from '../formats/encode.ts'
import { beginFile, endFile, renewClaim, storePart, type Claim } from './claims.queries.ts'
import { writeParts } from './export-parts.ts'

/** A claim is renewed with each part, and while there is none for this long. */
const RENEW_MS = 5_000

/** Makes the next file of an export from its first row. A day without rows has no file. */
export async function writeFile(source: Source, claim: Claim, stopping: AbortSignal): Promise<void> {
  const { db } = source
  const day = dayOfFile(claim, claim.next_file)
  await beginFile(db, claim)
  const counted = { rows: 0 }
  const batches = batchesOf(source, claim, claim.next_file)[Symbol.asyncIterator]()
  const first = await batches.next()
  if (first.done === true && hasDays(claim.dataset)) return endFile(db, claim, undefined)
  const content = encode(claim.format, columnsOf[claim.dataset], follow(first, batches))
  const written = await writeParts(content, (part, body) => storePart(db, claim, part, body))
  const name = `${claim.dataset}${day === null ? '' : `-${day}`}.${extensions[claim.format]}`
  return endFile(db, claim, { ...written, name, day, rows: counted.rows })

  /** Counts the rows. Ends when the worker stops or has lost the export. */
  async function* follow(one: IteratorResult<Batch>, others: AsyncIterator<Batch>): AsyncGenerator<Batch> {
    let renewedAt = Date.now()
    for (let next = one; next.done !== true; next = await others.next()) {
      stopping.throwIfAborted()
      if (Date.now() - renewedAt > RENEW_MS) {
        await renewClaim(db, claim)
        renewedAt = Date.now()
      }
      counted.rows += next.value.rows
      yield next.value
    }
  }
}
