import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { generateSecrets } from '@whereabouts/deploy/installation/secrets'
import { findNatsServer } from '@whereabouts/deploy/workshop/downloads/nats-binary'
import {
  startNatsCluster,
  type ClusterMember,
  type NatsCluster,
} from '@whereabouts/deploy/workshop/servers/nats-cluster'
import { makeCertificate, type Certificate } from '@whereabouts/testing/certificates'
import { connect, type NatsConnection } from 'nats'
import { setTimeout as delay } from 'node:timers/promises'
import type { StackOptions } from '@whereabouts/deploy/workshop/stack/stack'
import { startSystem, type System } from './system.ts'

export type ClusterSystem = System & {
  cluster: NatsCluster
  /** PEM of the CA that signed the brokers' certificates. */
  ca: string
  /** Gives all brokers a certificate of the same CA, as cert-manager does. Returns it. */
  renewCertificate(): Promise<Certificate>
  /** Connections of the tests as the users of the services, in their account and in MQTT. Closed with the system. */
  nc: NatsConnection
  mqttNc: NatsConnection
}

const CACHE = resolve(import.meta.dirname, '../../.cache/nats-server')
const REPLICAS = 3
const RUN = resolve(import.meta.dirname, '../../deploy/nats/run.sh')

/** A program that starts the broker as in Kubernetes, but looks for renewed certificates each second. */
async function brokerProgram(folder: string): Promise<string> {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  symlinkSync(await findNatsServer({ cacheDir: CACHE }), join(bin, 'nats-server'))
  const program = join(folder, 'run-broker')
  const script = `#!/bin/sh\nPATH='${bin}':$PATH CERTIFICATE_CHECK_SECONDS=1 exec sh '${RUN}' "$@"\n`
  writeFileSync(program, script, { mode: 0o755 })
  return program
}

/** The whole product on three brokers that share the streams, all connections to them encrypted. */
export async function startClusterSystem(
  options: Pick<StackOptions, 'services'> = {},
): Promise<ClusterSystem> {
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-cluster-'))
  const secrets = generateSecrets()
  const authority = await makeCertificate({ names: ['brokers'] })
  const { cert, key } = await makeCertificate({ issuer: authority })
  const certificate = { cert, key, ca: authority.cert }
  const binary = await brokerProgram(folder)
  const cluster = await startNatsCluster({ binary, dataDir: folder, secrets: secrets.nats, certificate })
  const { url, caFile } = cluster
  const broker = { url, caFile, mqttUrl: cluster.members[0]?.mqttUrl ?? '', replicas: REPLICAS }
  const system = await startSystem({}, { broker, secrets, ...options })
  const logIn = (user: string) =>
    connect({
      servers: url.split(','),
      tls: { ca: authority.cert },
      user,
      pass: secrets.nats.services_password,
      maxReconnectAttempts: -1,
    })
  const [nc, mqttNc] = await Promise.all([logIn('services'), logIn('mqtt-services')])
  return {
    ...system,
    cluster,
    ca: readFileSync(caFile, 'utf8'),
    nc,
    mqttNc,
    async renewCertificate() {
      const renewed = await makeCertificate({ issuer: authority })
      for (const { name } of cluster.members) {
        writeFileSync(join(folder, name, 'cert.pem'), renewed.cert)
        writeFileSync(join(folder, name, 'key.pem'), renewed.key)
      }
      return renewed
    },
    async stop() {
      await Promise.all([nc.close(), mqttNc.close()])
      await system.stop()
      await cluster.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function memberNamed({ cluster }: ClusterSystem, name: string | undefined): ClusterMember {
  const found = cluster.members.find((member) => member.name === name)
  if (!found) throw new Error(`no broker has the name ${String(name)}`)
  return found
}

/** The broker that leads a stream. Waits for the end of an election. */
export async function leaderOf(system: ClusterSystem, stream: string): Promise<ClusterMember> {
  for (;;) {
    const leader = await askLeader(system, stream).catch(() => undefined)
    if (leader) return memberNamed(system, leader)
    await delay(100)
  }
}

/** The connection to the account of a stream. */
const ownerOf = ({ nc, mqttNc }: ClusterSystem, stream: string) => (stream.startsWith('$MQTT') ? mqttNc : nc)

async function askLeader(system: ClusterSystem, stream: string): Promise<string | undefined> {
  const jsm = await ownerOf(system, stream).jetstreamManager({ checkAPI: false, timeout: 1_000 })
  return (await jsm.streams.info(stream)).cluster?.leader
}

/** Repeats the election for `stream` until the leader is `wanted`. */
export async function handOver(system: ClusterSystem, stream: string, wanted: ClusterMember): Promise<void> {
  while ((await leaderOf(system, stream)) !== wanted) await stepDown(system, stream)
}

/** Repeats the election for `stream` until its leader differs from that of `other`. */
export async function partLeaders(system: ClusterSystem, stream: string, other: string): Promise<void> {
  while ((await leaderOf(system, stream)) === (await leaderOf(system, other))) await stepDown(system, stream)
}

/** Its reply may be lost: the next poll shows the result. */
const stepDown = (system: ClusterSystem, stream: string) =>
  ownerOf(system, stream)
    .request(`$JS.API.STREAM.LEADER.STEPDOWN.${stream}`, '', { timeout: 2_000 })
    .catch(() => undefined)

type Connz = { connections: { name?: string; authorized_user?: string }[] }

/** The broker to which a user of a service is connected. */
export async function serverOf(
  { cluster }: ClusterSystem,
  user: string,
  name: string,
): Promise<ClusterMember> {
  for (const member of cluster.members) {
    const reply = await fetch(`${member.monitorUrl}/connz?auth=1&limit=1024`)
    const { connections } = (await reply.json()) as Connz
    if (connections.some((one) => one.name === name && one.authorized_user === user)) return member
  }
  throw new Error(`${name} is not connected to any broker as ${user}`)
}
