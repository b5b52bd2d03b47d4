// A step of a deployment: run it once before the services of a release start.
import { brokerLogin } from '@whereabouts/messaging/connect/connection'
import { loadEnv } from '@whereabouts/service-kit/service/env'
import { runCommand } from './command.ts'
import { applyBrokerTopology } from './installation/broker-topology.ts'
import { TopologyConfig } from './step-config.ts'

const HELP = `node deploy/apply-topology.ts [--shrink]    create or update the streams and consumers; safe to run again

  --shrink   apply limits that drop stored messages or copies; without it, such a change is refused

Environment
  NATS_URL          addresses of nats-server, separated by commas
  NATS_USER         default services
  NATS_PASSWORD     its password
  NATS_CA_FILE      CA of the brokers' certificates, where connections are encrypted
  STREAM_REPLICAS   copies of each stream: 1 (default), or 3 on a cluster of three servers
  SCAN_PARTITIONS   streams of scans: 1 (default), 2, 4 and so on up to 64; never fewer than there are. More than one
                    need deploy/nats/partitioned.conf in all brokers: docs/scaling.md
  SCANS_MAX_BYTES   maximum size of SCANS, which holds unprocessed and recent scans, before compression; of all
                    partitions together
`

async function main({ shrink = false }: { shrink?: boolean }): Promise<string> {
  const config = loadEnv(TopologyConfig, process.env)
  const waiting = await applyBrokerTopology(brokerLogin(config), {
    shrink,
    replicas: config.STREAM_REPLICAS,
    partitions: config.SCAN_PARTITIONS,
    ...(config.SCANS_MAX_BYTES !== undefined && { scansMaxBytes: config.SCANS_MAX_BYTES }),
  })
  const upToDate = 'streams and consumers are up to date'
  if (waiting.length === 0) return upToDate
  return `${upToDate}. The brokers compress ${waiting.join(', ')} once each of them is restarted: docs/operating.md`
}

await runCommand('apply-topology', HELP, main, ['shrink'])
