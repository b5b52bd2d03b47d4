import { natsOf, type Broker } from '@whereabouts/messaging/connect/connection'

/** Drops the messages before `seq`, like the maximum age of a stream does. */
export async function dropBefore(broker: Broker, stream: string, seq: number): Promise<void> {
  const jsm = await natsOf(broker).jetstreamManager()
  const { config, state } = await jsm.streams.info(stream)
  await jsm.streams.update(stream, { ...config, max_msgs: state.last_seq - seq + 1 })
  await jsm.streams.update(stream, config)
}

/** Replaces a stream by an empty one whose sequence starts again, as after the loss of a disk. */
export async function recreateStream(broker: Broker, stream: string): Promise<void> {
  const jsm = await natsOf(broker).jetstreamManager()
  const { config } = await jsm.streams.info(stream)
  await jsm.streams.delete(stream)
  await jsm.streams.add(config)
}

/** Leaves a stream without compression, as older releases made it. The broker applies that once it is restarted. */
export async function uncompress(broker: Broker, stream: string): Promise<void> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const { config } = await jsm.streams.info(stream)
  await jsm.streams.update(stream, Object.assign(config, { compression: 'none' }))
}
