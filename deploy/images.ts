import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const ROOT = join(import.meta.dirname, '..')
const LIST = join(ROOT, 'deploy/images.json')

const Images = z.array(
  z.strictObject({
    /** Repository and tag, as `docker pull` takes them. */
    image: z.string().regex(/^[a-z0-9./-]+:[\w.-]+$/),
    /** Of the index of all platforms; null until `node deploy/pin-images.ts` has fetched it from a registry. */
    digest: z
      .string()
      .regex(/^sha256:[0-9a-f]{64}$/)
      .nullable(),
  }),
)
export type Image = z.output<typeof Images>[number]

/** Files that name third-party images. */
export const FILES_WITH_IMAGES = [
  'docker-compose.yml',
  'deploy/Dockerfile',
  'k8s/base/nats/stateful-set.yaml',
  'k8s/overlays/try/postgres.yaml',
]

export const imageListFile = LIST
export const readImages = (): Image[] => Images.parse(JSON.parse(readFileSync(LIST, 'utf8')))

/** One text for each image without a digest, with what to do: its tag may name other content tomorrow. */
export const unpinned = (images: readonly Image[]): string[] =>
  images
    .filter(({ digest }) => digest === null)
    .map(
      ({ image }) =>
        `${image} has no digest in deploy/images.json: run \`node deploy/pin-images.ts\` where Docker reaches its registry, and commit`,
    )

/** The reference in a file, with the digest where it is known. */
export const referenceOf = ({ image, digest }: Image): string =>
  digest === null ? image : `${image}@${digest}`

/** The image of a repository such as `nats`. Throws when the list lacks it. */
export function imageOf(repository: string): Image {
  const found = readImages().find(({ image }) => image.startsWith(`${repository}:`))
  if (!found) throw new Error(`deploy/images.json has no image of ${repository}`)
  return found
}

/** `text` with the tag and digest of the list in each reference to one of its images. */
export function withPins(text: string, images: readonly Image[]): string {
  return images.reduce((result, entry) => {
    const repository = entry.image.replace(/:.*/, '').replaceAll('.', '\\.')
    const reference = new RegExp(
      `(?<=(?:image: |FROM |IMAGE=))${repository}:[\\w.-]+(?:@sha256:[0-9a-f]{64})?`,
      'g',
    )
    return result.replaceAll(reference, referenceOf(entry))
  }, text)
}
