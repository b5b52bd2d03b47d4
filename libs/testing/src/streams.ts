import { natsOf, type Broker } from '@whereabouts/messaging/connection'

/** As age does: what came before `seq` is gone. */
export async function dropBefore(broker: Broker, stream: string, seq: number): Promise<void> {
  const jsm = await natsOf(broker).jetstreamManager()
  const { config, state } = await jsm.streams.info(stream)
  await jsm.streams.update(stream, { ...config, max_msgs: state.last_seq - seq + 1 })
  await jsm.streams.update(stream, config)
}

/** As after the loss of a disk: the same stream, empty, its numbers from the beginning. */
export async function makeAnew(broker: Broker, stream: string): Promise<void> {
  const jsm = await natsOf(broker).jetstreamManager()
  const { config } = await jsm.streams.info(stream)
  await jsm.streams.delete(stream)
  await jsm.streams.add(config)
}
