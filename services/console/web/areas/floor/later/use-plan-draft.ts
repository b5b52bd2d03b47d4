import { useRef, useState } from 'react'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { offerUndo } from '../../../parts/form/undo.tsx'
import { unitsOf, type Zone } from '../plan-layout.ts'
import { bytesOf, type FloorPlanData, useImage } from '../use-plans.ts'
import { type ChosenImage, readChosen, saveImage } from './plan-images.ts'
import { stretched } from './zone-edits.ts'

export type PlacedReader = FloorPlanData['readers'][number]
export type Picked = { kind: 'zone' | 'reader'; id: number }

const RELOAD = [['floor-plans']] as const

type Arranged = {
  place: string
  /** Of the plan that was read. */
  version: number
  zones: readonly Zone[]
  readers: readonly PlacedReader[]
}

async function savePlan({ place, version, zones, readers }: Arranged) {
  const plain = zones.map((zone) => ({ ...zone, points: zone.points.map((point) => [...point]) }))
  const body = { zones: plain, readers: [...readers], version }
  return api.put('/api/v1/floor-plans/{place}', { path: { place }, body })
}

/** The picture comes first: the server may refuse it, and then nothing has changed. */
type Stage = {
  version: number
  /** The one that is saved. */
  image?: ChosenImage | null
  /** The picture before; without a file there was none. */
  earlier?: { file: Blob | undefined }
}

const imageText = (saved: Stage['image'], earlier: Blob | undefined) =>
  `The image of the floor was ${saved ? (earlier ? 'replaced' : 'added') : 'removed'}.`

function offerEarlier(message: string, earlier: Arranged & { file: Blob | undefined }): void {
  offerUndo({
    message,
    undo: async () => {
      const { version } = await saveImage(earlier.place, earlier.file, earlier.version)
      return savePlan({ ...earlier, version })
    },
    done: 'The floor is as it was before.',
    reload: RELOAD,
  })
}

/** What a person changes on the plan of `place`. Nothing is stored, and nobody else sees it, until it is saved. */
export function usePlanDraft(place: string, given: FloorPlanData | undefined, onSaved: () => void) {
  const [plan] = useState(given) // what somebody else saves meanwhile must not look like read
  const [zones, setZones] = useState<readonly Zone[]>(plan?.zones ?? [])
  const [readers, setReaders] = useState<readonly PlacedReader[]>(plan?.readers ?? [])
  /** Another one than that of the plan; null: none. */
  const [chosen, setChosen] = useState<ChosenImage | null>()
  const [isChanged, setChanged] = useState(false)
  const [picked, setPicked] = useState<Picked>()
  const stored = useImage(plan?.image?.hash)
  const image = chosen === undefined ? (plan?.image ?? null) : chosen
  /** Of the plan as far as it is saved: after a failure the next attempt goes on from there. */
  const stage = useRef<Stage>({ version: plan?.version ?? 0 })
  const save = useSend(
    async () => {
      if (chosen !== undefined && stage.current.image !== chosen) {
        const file = await bytesOf(plan?.image?.hash)
        const { version } = await saveImage(place, chosen?.file, stage.current.version)
        stage.current = { version, image: chosen, earlier: stage.current.earlier ?? { file } }
      }
      return savePlan({ place, version: stage.current.version, zones, readers })
    },
    {
      reload: RELOAD,
      onDone: ({ version }) => {
        onSaved()
        const { earlier, image: saved } = stage.current
        if (!earlier) return
        const before = { zones: plan?.zones ?? [], readers: plan?.readers ?? [] }
        offerEarlier(imageText(saved, earlier.file), { place, version, ...before, ...earlier })
      },
      explain: ({ type, detail }) =>
        type === 'conflict' && detail.startsWith('Somebody')
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
  /** What was arranged keeps its place on a picture of another shape. */
  const setImage = (next: ChosenImage | null) => {
    const [from, to] = [unitsOf(image), unitsOf(next)]
    change()
    // One that was never saved need not be removed.
    setChosen(next === null && !plan?.image && !stage.current.image ? undefined : next)
    setZones(zones.map((zone) => ({ ...zone, points: stretched(zone.points, from, to) })))
    setReaders(
      readers.map(({ reader_id, x, y }) => {
        const [[toX, toY] = [x, y]] = stretched([[x, y]], from, to)
        return { reader_id, x: toX, y: toY }
      }),
    )
  }
  const choose = useSend(readChosen, { onDone: setImage })
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
  const url = chosen === undefined ? stored : chosen?.url
  return {
    zones,
    readers,
    image,
    /** The picture as an address; undefined while it loads, and without one. */
    url,
    picked,
    setPicked,
    isChanged,
    save,
    choose,
    removeImage: () => setImage(null),
    ...edits,
  }
}

export type PlanDraft = ReturnType<typeof usePlanDraft>
