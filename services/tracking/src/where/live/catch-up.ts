import { readSubject, streamExtent } from '@whereabouts/messaging/state/replay'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import type { FairGate } from '@whereabouts/service-kit/limits/fair-gate'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { setTimeout as delay } from 'node:timers/promises'
import { epochOf, movementText, type Cursor } from './event-text.ts'
import type { LiveConnection } from './live-connection.ts'

/** A client that missed more reloads: that is less work for both sides. */
export const MAX_REPLAYED = 10_000
const BATCH = 100
const RETRY_MS = 1_000

/** Sends clients that reconnect the movements that they missed, from the stream. */
export class CatchUp {
  readonly #broker: Broker
  readonly #log: Logger
  readonly #reads: FairGate<number>

  constructor(broker: Broker, log: Logger, reads: FairGate<number>) {
    this.#broker = broker
    this.#log = log
    this.#reads = reads
  }

  /**
   * Resolves with true once the connection is live and has missed nothing, or is gone. Resolves with false if the
   * stream no longer has the missed movements. Waits while the broker is not reachable.
   */
  async bring(connection: LiveConnection, epoch: string): Promise<boolean> {
    connection.hold()
    while (isBehind(connection)) {
      try {
        return await this.#replay(connection, epoch)
      } catch (error) {
        this.#log.warn(
          { err: error, org_id: connection.orgId },
          'missed movements could not be read; will retry',
        )
        await delay(RETRY_MS)
      }
    }
    return true
  }

  async #replay(connection: LiveConnection, epoch: string): Promise<boolean> {
    const extent = await this.#reads.run(connection.orgId, () => streamExtent(this.#broker, 'EVENTS'))
    const { created, firstSeq, lastSeq } = extent
    const { seq } = connection
    if (epochOf(created) !== epoch || seq > lastSeq || seq + 1 < firstSeq) return false
    while (isBehind(connection)) {
      await connection.waitForRoom()
      const left = await this.#sendBatch(connection, epoch)
      if (left > MAX_REPLAYED) return false
      if (left > 0 || !isBehind(connection) || connection.goLive()) continue
      // Live events were left out. Hold again: the next read finds all events before these.
      connection.hold()
    }
    return true
  }

  /** Returns how many are left. */
  async #sendBatch(connection: LiveConnection, epoch: string): Promise<number> {
    const { orgId, seq } = connection
    const ask = {
      stream: 'EVENTS' as const,
      subject: `events.asset-moved.${orgId}`,
      fromSeq: seq + 1,
      limit: BATCH,
    }
    const { messages, left } = await this.#reads.run(orgId, () => readSubject(this.#broker, ask))
    if (left > MAX_REPLAYED) return left
    for (const message of messages) {
      await connection.waitForRoom()
      if (!isBehind(connection)) return 0
      this.#send(connection, { epoch, seq: message.seq }, message.payload)
    }
    return left
  }

  #send(connection: LiveConnection, cursor: Cursor, payload: unknown): void {
    try {
      connection.deliver({ seq: cursor.seq, text: movementText(cursor, connection.orgId, payload) })
    } catch (error) {
      this.#log.error({ err: error, stream_seq: cursor.seq }, 'movement could not be sent')
      connection.seq = cursor.seq // otherwise it would be read again and again
    }
  }
}

/** False also after a reset, for instance because the stream was re-created. */
const isBehind = (connection: LiveConnection) => !connection.destroyed && !connection.isLive
