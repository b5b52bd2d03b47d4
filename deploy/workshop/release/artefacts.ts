import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packClient } from '../clients/pack.ts'
import { packPythonClient } from '../clients/pack-python.ts'
import { git } from './checks.ts'
import { versionOf } from './versions.ts'

const PLATFORMS = 'linux/amd64,linux/arm64'

/**
 * The packages of each install step of deploy/Dockerfile, as options of `pnpm sbom`. The web app in the image is bundled
 * from packages of the second one, which also has the tools that build it.
 */
const SBOMS = {
  image: ['--filter-prod', './services/*...', '--filter-prod', '@whereabouts/deploy...', '--prod'],
  'console-build': [
    ['--filter', '@whereabouts/console...'],
    ['--filter', '@whereabouts/docs...'],
    ['--filter', '@whereabouts/client-types...'],
  ].flat(),
} as const

/** Writes what a release publishes beside images, and SHA256SUMS, to `folder`. Deletes what was there. */
export async function writeArtefacts(root: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await packClient(folder)
  await packPythonClient(folder)
  await cp(join(root, 'NOTICE'), join(folder, 'NOTICE'))
  for (const [name, packages] of Object.entries(SBOMS)) {
    const file = join(folder, `whereabouts-${versionOf(root)}.${name}.cdx.json`)
    const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--out', file]
    execFileSync('pnpm', ['sbom', ...packages, ...format], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  const sums = (await artefactsOf(folder)).map(({ name, sha256 }) => `${sha256}  ${name}\n`)
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''))
}

type Artefact = { name: string; bytes: number; sha256: string }

async function artefactsOf(folder: string): Promise<Artefact[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('SHA256SUMS')).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(folder, name))
      return { name, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
    }),
  )
}

/** The artefacts of a folder as lines of text: name, bytes and SHA-256. */
export async function table(folder: string): Promise<string> {
  const artefacts = await artefactsOf(folder)
  const width = Math.max(...artefacts.map(({ name }) => name.length))
  const line = (name: string, bytes: string, sha256: string) =>
    `${name.padEnd(width)}  ${bytes.padStart(9)}  ${sha256}`
  const rows = artefacts.map(({ name, bytes, sha256 }) => line(name, String(bytes), sha256))
  return [line('artefact', 'bytes', 'SHA-256'), ...rows].join('\n')
}

/** The command that builds and pushes the image of the commit that is checked out, for each platform. */
export const imageCommand = (root: string): string =>
  [
    `docker buildx build --platform ${PLATFORMS} -f deploy/Dockerfile`,
    `--build-arg APP_COMMIT=${git(root, 'rev-parse', '--short=12', 'HEAD')}`,
    '--build-arg APP_BUILT_AT="$(date -u +%Y-%m-%dT%H:%M:%SZ)"',
    `-t REGISTRY/whereabouts:${versionOf(root)} --push .`,
  ].join(' \\\n  ')
