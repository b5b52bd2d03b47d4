import { unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import { unitsOf, type Zone } from '../plan-layout.ts'
import type { FloorPlanData } from '../use-plans.ts'
import { stretched } from './zone-edits.ts'

export type PlacedReader = FloorPlanData['readers'][number]
export type Picked = { kind: 'zone' | 'reader'; id: number }

const RELOAD = [['floor-plans']] as const

/** What a person changes on the plan of `place` until it is saved. */
export function usePlanDraft(place: string, plan: FloorPlanData | undefined, onSaved: () => void) {
  const [zones, setZones] = useState<readonly Zone[]>(plan?.zones ?? [])
  const [readers, setReaders] = useState<readonly PlacedReader[]>(plan?.readers ?? [])
  const [version, setVersion] = useState(plan?.version ?? 0)
  const [image, setImage] = useState(plan?.image ?? null)
  const [isChanged, setChanged] = useState(false)
  const [picked, setPicked] = useState<Picked>()
  const path = { place }
  const save = useSend(
    async () => {
      const plain = zones.map((zone) => ({ ...zone, points: zone.points.map((point) => [...point]) }))
      const body = { zones: plain, readers: [...readers], version }
      return unwrap(await api.PUT('/api/v1/floor-plans/{place}', { params: { path }, body })).data
    },
    {
      reload: RELOAD,
      onDone: onSaved,
      explain: ({ type }) =>
        type === 'conflict'
          ? {
              title: 'Somebody else changed this plan',
              detail: 'Cancel to see their changes, then make yours again.',
            }
          : undefined,
    },
  )
  const change = () => {
    setChanged(true)
    save.reset()
  }
  /** An image is saved at once. Another version than the next one is somebody else's, and saving will say so. */
  const onImage = (saved: Pick<FloorPlanData, 'image' | 'version'>) => {
    const [from, to] = [unitsOf(image), unitsOf(saved.image)]
    setImage(saved.image)
    if (from.width !== to.width || from.height !== to.height) {
      if (zones.length + readers.length > 0) change()
      setZones(zones.map((zone) => ({ ...zone, points: stretched(zone.points, from, to) })))
      setReaders(
        readers.map(({ reader_id, x, y }) => {
          const [[toX, toY] = [x, y]] = stretched([[x, y]], from, to)
          return { reader_id, x: toX, y: toY }
        }),
      )
    }
    if (saved.version === version + 1) setVersion(saved.version)
  }
  const upload = useSend(
    async (file: File) =>
      unwrap(
        await api.PUT('/api/v1/floor-plans/{place}/image', {
          params: { path },
          body: file as never,
          bodySerializer: (body: unknown) => body as File,
          headers: { 'content-type': file.type },
        }),
      ).data,
    { reload: RELOAD, onDone: onImage },
  )
  const removeImage = useSend(
    async () => unwrap(await api.DELETE('/api/v1/floor-plans/{place}/image', { params: { path } })).data,
    { reload: RELOAD, onDone: onImage },
  )
  const edits = {
    addZones: (added: readonly Zone[]) => {
      change()
      setZones((before) => [...before, ...added])
      const only = added.length === 1 ? added[0] : undefined
      if (only) setPicked({ kind: 'zone', id: only.location_id })
    },
    editZone: (id: number, edit: (zone: Zone) => Zone) => {
      change()
      setZones((before) => before.map((zone) => (zone.location_id === id ? edit(zone) : zone)))
    },
    removeZone: (id: number) => {
      change()
      setZones((before) => before.filter(({ location_id }) => location_id !== id))
    },
    placeReader: (reader: PlacedReader) => {
      change()
      setReaders((before) => [...before.filter((each) => each.reader_id !== reader.reader_id), reader])
      setPicked({ kind: 'reader', id: reader.reader_id })
    },
    removeReader: (id: number) => {
      change()
      setReaders((before) => before.filter(({ reader_id }) => reader_id !== id))
    },
  }
  return { zones, readers, image, picked, setPicked, isChanged, save, upload, removeImage, ...edits }
}

export type PlanDraft = ReturnType<typeof usePlanDraft>
