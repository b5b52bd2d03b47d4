import { natsOf, type Broker } from '../connect/connection.ts'
import { durables, type DurableName } from '../connect/topology.ts'

/** How far all replicas together have read the stream of a durable. */
export type DurableProgress = {
  /** All messages up to this sequence have been settled. */
  settledSeq: number
  headSeq: number
  /** Messages not yet delivered, or delivered and not yet settled. */
  pending: number
}

/** Asks the broker. Rejects if it does not answer or if the durable is missing. */
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
