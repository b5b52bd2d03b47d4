import { natsOf, type Broker } from './connection.ts'
import { durables, type DurableName } from './topology.ts'

/** How far all replicas together are with a durable's stream. */
export type DurableProgress = {
  /** Everything up to this sequence has been settled. */
  settledSeq: number
  headSeq: number
  /** Messages that are delivered and not settled, or not yet delivered. */
  pending: number
}

/** Asks the broker. Rejects when it does not answer, or when the durable is missing. */
export async function durableProgress(broker: Broker, durable: DurableName): Promise<DurableProgress> {
  const { stream } = durables[durable]
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const [consumer, { state }] = await Promise.all([
    jsm.consumers.info(stream, durable),
    jsm.streams.info(stream),
  ])
  return {
    settledSeq: consumer.ack_floor.stream_seq,
    headSeq: state.last_seq,
    pending: consumer.num_pending + consumer.num_ack_pending,
  }
}
