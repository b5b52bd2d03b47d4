import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packClient } from '@whereabouts/deploy/workshop/clients/pack'

/** What runs npm, which may be as old as the package supports (Node 20). */
export const oldestNode = process.env['npm_node_execpath'] ?? process.execPath

/** Makes the folder an npm project with the packed client installed, without a registry. */
export async function installClient(folder: string): Promise<void> {
  const file = await packClient(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const args = ['install', '--offline', '--no-audit', '--no-fund', file]
  await promisify(execFile)('npm', args, { cwd: folder })
}
