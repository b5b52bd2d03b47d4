import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { chmodSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startStack, type Stack, type StackOptions } from '@whereabouts/deploy/workshop/stack/stack'
import { startReceiver, type Receiver } from '@whereabouts/testing/receiver'
import { workshopFile } from './checkout.ts'

export type System = { stack: Stack; receiver: Receiver; stop(): Promise<void> }

/**
 * The whole product on free ports and throwaway data, and a receiver of webhooks whose certificate it trusts. Tests
 * know only its addresses. `env` is added to the environment of single services. `root`: another checkout whose code
 * runs.
 */
export async function startSystem(
  env: NonNullable<StackOptions['env']> = {},
  {
    root,
    ...options
  }: Pick<StackOptions, 'broker' | 'secrets' | 'postgresUrl' | 'services'> & { root?: string } = {},
): Promise<System> {
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-system-'))
  chmodSync(folder, 0o755) // under root, PostgreSQL runs as another user, which must enter
  const receiver = await startReceiver()
  const caFile = join(folder, 'receiver-ca.pem')
  writeFileSync(caFile, receiver.ca)
  const start = root === undefined ? startStack : (await stackModuleOf(root)).startStack
  const stack = await start({
    dataDir: join(folder, 'data'),
    durable: false,
    ...options,
    env: {
      ...env,
      keys: { ADDRESS_ATTEMPTS: '10000', ...env.keys }, // all organizations of a suite sign up from this machine
      'webhook-dispatcher': { NODE_EXTRA_CA_CERTS: caFile, ...env['webhook-dispatcher'] },
    },
  })
  return {
    stack,
    receiver,
    async stop() {
      await stack.stop()
      await receiver.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const stackModuleOf = (root: string) =>
  import(pathToFileURL(workshopFile(root, 'deploy/workshop/stack/stack.ts')).href) as Promise<
    typeof import('@whereabouts/deploy/workshop/stack/stack')
  >
