import type { components } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'
import type { ReaderFormat } from '../connect/formats.ts'
import { EXAMPLE, exampleTag } from './example.ts'
import { proposedKey } from './proposed-key.ts'
import type { PlacedReader, TaggedAsset } from './use-progress.ts'

type Location = components['schemas']['Location']

export const createLocation = (name: string) => api.post('/api/v1/locations', { body: { name } })

export const createAsset = (body: components['schemas']['AssetCreate']) =>
  api.post('/api/v1/assets', { body })

type NewReader = { key: string; format: ReaderFormat; locationId: number }

/** Assigns the first antenna of the newest reader to a location. Creates the reader first if there is none. */
export async function placeReader(newest: PlacedReader | null, wanted: NewReader): Promise<void> {
  const { key, format, locationId } = wanted
  const body = { reader_key: key, name: key, format }
  const id = newest?.reader.id ?? (await api.post('/api/v1/readers', { body })).id ?? 0
  const [point] = newest?.points ?? []
  if (point)
    await api.patch('/api/v1/readers/{reader_id}/scan-points/{scan_point_id}', {
      path: { reader_id: id, scan_point_id: point.id },
      body: { location_id: locationId },
    })
  else
    await api.post('/api/v1/readers/{reader_id}/scan-points', {
      path: { reader_id: id },
      body: { antenna: 1, name: 'Antenna 1', location_id: locationId },
    })
}

type Existing = { location: Location | undefined; asset: TaggedAsset | null; newest: PlacedReader | null }

/** Creates what is still missing for a first scan. If it stops halfway, the next call creates the rest. */
export async function addExample({ location, asset, newest }: Existing): Promise<void> {
  const { id, name } = location ?? (await createLocation(EXAMPLE.location))
  if (!asset)
    await createAsset({ name: EXAMPLE.asset, tags: [{ tag_type: 'rfid', value: exampleTag('rfid') }] })
  if (!newest?.placed)
    await placeReader(newest, { key: proposedKey(name), format: 'canonical', locationId: id })
}
