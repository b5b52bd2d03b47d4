// Gets the digests of our images from their registries and writes them to all files that name an image.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runCommand } from './command.ts'
import { FILES_WITH_IMAGES, imageListFile, readImages, withPins, type Image } from './images.ts'

const HELP = `node deploy/pin-images.ts    pin every image of deploy/images.json to its current digest

For another release, change the tag in deploy/images.json first. Needs Docker with buildx and access to the registries.
Review the diff before you commit: the digest of a tag changes when its base image is rebuilt.
`

const run = promisify(execFile)

async function digestOf(image: string): Promise<string> {
  const args = ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}']
  const { stdout } = await run('docker', args, { timeout: 60_000 })
  return stdout.trim()
}

async function main(): Promise<string> {
  const pinned: Image[] = []
  for (const { image } of readImages()) pinned.push({ image, digest: await digestOf(image) })
  writeFileSync(imageListFile, `${JSON.stringify(pinned, null, 2)}\n`)
  readImages() // throws when a digest is malformed
  for (const name of FILES_WITH_IMAGES) {
    const file = join(import.meta.dirname, '..', name)
    writeFileSync(file, withPins(readFileSync(file, 'utf8'), pinned))
  }
  return `pinned ${pinned.length} images`
}

await runCommand('pin-images', HELP, main)
