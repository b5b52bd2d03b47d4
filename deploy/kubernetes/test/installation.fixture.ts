import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { Config as Catalog } from '../../../services/catalog/src/config.ts'
import { Config as Console } from '../../../services/console/src/config.ts'
import { Config as Gateway } from '../../../services/gateway/src/config.ts'
import { Config as Keys } from '../../../services/keys/src/config.ts'
import { Config as Tracking } from '../../../services/tracking/src/config.ts'
import { Config as WebhookDispatcher } from '../../../services/webhook-dispatcher/src/config.ts'
import { generateSecrets } from '../../installation/secrets.ts'
import { findKubectl } from '../../workshop/downloads/kubectl.ts'
import { ROOT } from '../../installation/services.ts'
import { SIZES, type Size, type SizeName } from '../../workshop/sizing/sizes.ts'
import { MigrateConfig, TopologyConfig } from '../../step-config.ts'
import type { Expectations } from './checks.ts'
import { connectionsOutsidePool } from './connections.ts'
import { phasesIn } from './grace.ts'
import type { Manifest } from './manifest.ts'
import { secretManifests } from '../secret-manifests.ts'

export type Installation = { objects: Manifest[]; secrets: Manifest[]; size: Size; expected: Expectations }

const run = promisify(execFile)

/** The rendered overlay, with Secrets as an operator would create them. */
export async function renderInstallation(overlay: SizeName): Promise<Installation> {
  const kubectl = await findKubectl({ cacheDir: join(ROOT, '.cache/kubectl') })
  const folder = join(ROOT, 'k8s/overlays', overlay)
  const { stdout } = await run(kubectl, ['kustomize', folder], { maxBuffer: 64 * 1024 * 1024 })
  const objects = parseAllDocuments(stdout).map((document): Manifest => document.toJS())
  const namespace = objects.find(({ kind }) => kind === 'Namespace')!.metadata.name
  return {
    objects,
    size: SIZES[overlay],
    secrets: SECRETS[overlay](namespace),
    expected: overlay === 'try' ? EXPECTED_TO_TRY : EXPECTED,
  }
}

const ofOwnServer = (namespace: string, large = false) =>
  secretsOf({
    namespace,
    large,
    database: 'whereabouts',
    backups: { accessKeyId: `of ${namespace}`, secretAccessKey: `also of ${namespace}` },
  })

const ofOneServer = (namespace: string) => secretsOf({ namespace, database: 'whereabouts', plain: true })

const ofServerOutside = (namespace: string) =>
  secretsOf({
    namespace,
    database: 'whereabouts',
    adminUrl: 'postgresql://administrator:secret@192.0.2.10:5432/postgres?sslmode=verify-full',
  })

const SECRETS: Record<SizeName, (namespace: string) => Manifest[]> = {
  try: ofOneServer,
  small: ofOwnServer,
  production: ofOwnServer,
  large: (namespace) => ofOwnServer(namespace, true),
  preview: ofServerOutside,
}

function secretsOf(installation: Parameters<typeof secretManifests>[1]): Manifest[] {
  return secretManifests(generateSecrets(), installation).map(
    ({ apiVersion, kind, metadata, stringData }): Manifest => ({
      apiVersion,
      kind,
      metadata,
      data: stringData,
      spec: {},
    }),
  )
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Variables in the configuration of the brokers, without its comments. */
function brokerVariables(): string[] {
  const text = read('deploy/nats/nats.conf') + read('deploy/nats/cluster.conf')
  const names = text.replaceAll(/#.*$/gm, '').matchAll(/\$([A-Z][A-Z0-9_]*)/g)
  return Array.from(names, ([, name]) => name!)
}

/** The variables that each program reads. GOMEMLIMIT is for the runtime of nats-server. */
const SCHEMAS: Record<string, z.ZodObject> = {
  gateway: Gateway,
  catalog: Catalog,
  tracking: Tracking,
  keys: Keys,
  'webhook-dispatcher': WebhookDispatcher,
  console: Console,
  migrate: MigrateConfig,
  topology: TopologyConfig,
  nats: z.object(
    Object.fromEntries([...brokerVariables(), 'GOMEMLIMIT'].map((name) => [name, z.string().min(1)])),
  ),
}

const SERVICES = ['gateway', 'catalog', 'tracking', 'keys', 'webhook-dispatcher', 'console']

const counted = (count: (source: string) => number) =>
  Object.fromEntries(SERVICES.map((name) => [name, count(read(`services/${name}/src/parts.ts`))]))

const EXPECTED: Expectations = {
  schemas: SCHEMAS,
  phases: counted(phasesIn),
  connections: counted(connectionsOutsidePool),
}

/** There, PostgreSQL is a program of ours and not of an operator. */
const EXPECTED_TO_TRY: Expectations = {
  ...EXPECTED,
  schemas: {
    ...SCHEMAS,
    postgres: z.object({ POSTGRES_PASSWORD: z.string(), POSTGRES_INITDB_ARGS: z.string() }),
  },
}
