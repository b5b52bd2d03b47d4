import { DATABASE } from '@whereabouts/deploy/database/roles'
import type { SecretValues } from '@whereabouts/deploy/kubernetes/rotation'
import { secretManifests } from '@whereabouts/deploy/kubernetes/secret-manifests'
import { ROOT } from '@whereabouts/deploy/installation/services'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The Secrets of an installation in Kubernetes on the servers of this system. */
export const secretsOf = ({ secrets, urls }: Pick<Stack, 'secrets' | 'urls'>): SecretValues =>
  Object.fromEntries(
    secretManifests(secrets, { namespace: 'here', database: DATABASE, adminUrl: urls.postgres }).map(
      ({ metadata, stringData }) => [metadata.name, stringData],
    ),
  )

/** Runs the migration step of a checkout with the values of its Secret. Returns what it reports. */
export const migrate = ({ migrate: secret }: SecretValues, root = ROOT): Promise<string> =>
  runStep(join(root, 'deploy/migrate.ts'), { ...secret })

/** The same with the topology step, on the broker at this address. */
export const applyTopology = ({ topology }: SecretValues, natsUrl: string, root = ROOT): Promise<string> =>
  runStep(join(root, 'deploy/apply-topology.ts'), { ...topology, NATS_URL: natsUrl })

async function runStep(file: string, variables: Record<string, string>): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, [file], { env: { ...process.env, ...variables } })
  return stdout + stderr
}
