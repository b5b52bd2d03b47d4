import { connect } from '@whereabouts/messaging/connection'
import { type TopologyOptions, applyTopology } from '@whereabouts/messaging/topology'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

export type ServicesLogin = { url: string; user: string; password: string; tls?: { caFile: string } }

/** Creates the streams and durable consumers as far as they are missing or differ. */
export async function applyBrokerTopology(
  login: ServicesLogin,
  options: TopologyOptions = {},
): Promise<void> {
  const broker = await connect({ ...login, name: 'topology', logger: quiet })
  try {
    await applyTopology(broker, options)
  } finally {
    await broker.close()
  }
}
