import { useQuery } from '@tanstack/react-query'
import type { components } from '@whereabouts/client/client'
import { api, client } from '../../session/api.ts'
import { useUrlState } from '../../parts/table/use-url-state.ts'
import type { Point } from './layout.ts'
import type { Zone } from './plan-layout.ts'

type Answered = components['schemas']['FloorPlan']
export type FloorPlanData = Omit<Answered, 'zones'> & { zones: readonly Zone[] }

const planOf = (plan: Answered): FloorPlanData => ({
  ...plan,
  zones: plan.zones.map(({ location_id, points }) => ({
    location_id,
    points: points.map(([x = 0, y = 0]): Point => [x, y]),
  })),
})

/** Of the organization's floor. */
export const EVERYTHING = 'all'

/** All plans of the organization, by the id of their location, or `all`. */
export const usePlans = () =>
  useQuery({
    queryKey: ['floor-plans'],
    queryFn: async ({ signal }) => {
      const data = await api.get('/api/v1/floor-plans', { signal })
      return new Map(data.map((plan) => [plan.place, planOf(plan)]))
    },
  })

/**
 * The image as an address for `<img>`; undefined while it loads. An image never changes. With `?image=off` there is
 * none, so that a plan opens whose image hangs the browser.
 */
export function useImage(hash: string | undefined): string | undefined {
  const [{ image }] = useUrlState({ image: '' })
  const loaded = useQuery({
    queryKey: ['floor-plans', 'image', hash],
    enabled: hash !== undefined && image !== 'off',
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const bytes = await bytesOf(hash, signal)
      return bytes && dataUrl(bytes)
    },
  })
  return image === 'off' ? undefined : loaded.data
}

/** The stored bytes: nobody keeps them once another image takes their place. Undefined: no image, or it is gone. */
export async function bytesOf(hash: string | undefined, signal?: AbortSignal): Promise<Blob | undefined> {
  if (hash === undefined) return undefined
  const asked = { params: { path: { hash } }, signal, parseAs: 'blob' } as const
  return (await client.GET('/api/v1/floor-plans/images/{hash}', asked)).data
}

/** The bytes as an address for `<img>`. */
export function dataUrl(blob: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.addEventListener('load', () => resolve(reader.result as string))
  reader.addEventListener('error', () => reject(reader.error ?? new Error('the image could not be read')))
  reader.readAsDataURL(blob)
  return promise
}
