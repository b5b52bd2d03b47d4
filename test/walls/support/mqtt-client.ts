import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { inject } from 'vitest'
import type { ApiKey } from '../../system/organization.ts'

/** One connection over MQTT, which does not reconnect. */
export type Mqtt = {
  /** Whether the broker had kept a session under this client id. */
  sessionPresent: boolean
  /** False once the broker ended it. */
  isOpen(): boolean
  /**
   * Resolves to true once acknowledged (QoS 0: once sent), or false if the connection closes first.
   */
  publish(
    topic: string,
    payload: string | Uint8Array,
    options?: { qos?: 0 | 1 | 2; retain?: boolean },
  ): Promise<boolean>
  /** Resolves with the QoS that was granted; 128 is a refusal. */
  subscribe(topic: string): Promise<number>
  /** Topics of the received messages. */
  heard: string[]
  /** Disconnects; `rudely` without a packet, so that the broker publishes the will. */
  close(options?: { rudely?: boolean }): Promise<void>
}

/** Resolves when the broker accepts the connection; rejects otherwise. */
export async function openMqtt(key: ApiKey, options: IClientOptions = {}): Promise<Mqtt> {
  const { clientId: username, clientSecret: password } = key
  const client = mqtt.connect(inject('urls').mqtt, {
    protocolVersion: 4,
    username,
    password,
    reconnectPeriod: 0,
    connectTimeout: 10_000,
    ...options,
  })
  const heard: string[] = []
  client.on('message', (topic: string) => heard.push(topic))
  const sessionPresent = await untilAccepted(client)
  client.on('error', () => undefined) // the broker ends it in the middle of a packet: `isOpen` shows that
  const ended = new Promise<false>((resolve) => client.once('close', () => resolve(false)))
  return {
    sessionPresent,
    isOpen: () => client.connected,
    heard,
    publish(topic, payload, { qos = 1, retain = false } = {}) {
      const sent = client.publishAsync(topic, Buffer.from(payload), { qos, retain })
      return Promise.race([sent.then(isAcknowledged, () => false), ended])
    },
    async subscribe(topic) {
      const granted = await client.subscribeAsync(topic, { qos: 0 }).catch(() => undefined)
      return granted?.[0]?.qos ?? 128
    },
    async close({ rudely = false } = {}) {
      if (rudely) client.stream.destroy()
      await client.endAsync(rudely || !client.connected) // otherwise it would wait for missing acknowledgements
    },
  }
}

const isAcknowledged = () => true

function untilAccepted(client: MqttClient): Promise<boolean> {
  return new Promise((resolve, reject) => {
    client.once('connect', ({ sessionPresent }) => resolve(sessionPresent))
    client.once('error', reject)
    client.once('close', () => reject(new Error('the broker ended the connection')))
  })
}
