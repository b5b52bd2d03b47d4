import { connect, MQTT_USER } from '@whereabouts/messaging/connect/connection'
import { type StreamName, type TopologyOptions, applyTopology } from '@whereabouts/messaging/connect/topology'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

export type ServicesLogin = { url: string; user: string; password: string; tls?: { caFile: string } }

/** Creates or updates the streams and durable consumers. Returns those that the brokers compress once they are restarted. */
export async function applyBrokerTopology(
  login: ServicesLogin,
  options: TopologyOptions = {},
): Promise<StreamName[]> {
  const open = (user: string) => connect({ ...login, user, name: 'topology', logger: quiet })
  const APP = await open(login.user)
  try {
    const MQTT = await open(MQTT_USER)
    return await applyTopology({ APP, MQTT }, options).finally(() => MQTT.close())
  } finally {
    await APP.close()
  }
}
