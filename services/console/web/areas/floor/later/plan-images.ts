import { unwrap } from '@whereabouts/client/client'
import { api, client } from '../../../session/api.ts'
import { SaidError } from '../../../parts/load/failure.ts'
import { dataUrl } from '../use-plans.ts'

/** A picture that is chosen, and not saved yet. The size is in pixels, as the browser shows it. */
export type ChosenImage = { file: Blob; url: string; width: number; height: number }

/** What the server refuses too. It says so before anything is saved. */
const MOST_BYTES = 2 * 1024 * 1024
const MOST_PIXELS = 8_000
const MOST_MEGAPIXELS = 40

const refused = (detail: string) => new SaidError({ title: 'This image cannot be used', detail })

export async function readChosen(file: Blob): Promise<ChosenImage> {
  if (file.size > MOST_BYTES) throw refused('It is larger than 2 MiB.')
  const url = await dataUrl(file)
  const image = new Image()
  image.src = url
  await image.decode().catch(() => {
    throw refused('The browser cannot read it. Choose a PNG, JPEG, WebP or SVG image.')
  })
  const { naturalWidth: width, naturalHeight: height } = image
  if (width === 0 || height === 0) throw refused('It has no size.')
  if (Math.max(width, height) > MOST_PIXELS) throw refused('It is larger than 8,000 pixels.')
  if (file.type !== 'image/svg+xml' && width * height > MOST_MEGAPIXELS * 1e6)
    throw refused(`It has more than ${MOST_MEGAPIXELS} megapixels.`)
  return { file, url, width, height }
}

/** Without a file, the plan has no image afterwards. `version`: of the plan that was read. */
export async function saveImage(place: string, file: Blob | undefined, version: number) {
  const params = { path: { place }, query: { version } }
  if (!file) return api.delete('/api/v1/floor-plans/{place}/image', params)
  return unwrap(
    await client.PUT('/api/v1/floor-plans/{place}/image', {
      params,
      body: file as never,
      bodySerializer: (body: unknown) => body as Blob,
      headers: { 'content-type': file.type },
    }),
  ).data
}
