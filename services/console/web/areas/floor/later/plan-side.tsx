import { Button, FileButton, Group, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { type ReactNode, useMemo, useState } from 'react'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { SearchBox } from '../../../parts/table/search-box.tsx'
import { layoutOf } from '../layout.ts'
import { frameOf, unitsOf } from '../plan-layout.ts'
import { pathTo, type Room } from '../rooms.ts'
import type { FloorReader } from '../readers/use-floor-readers.ts'
import type { PlanDraft } from './use-plan-draft.ts'
import { zoneOf } from './zone-edits.ts'
import { contains } from '../../../parts/table/compared.ts'

type Props = {
  draft: PlanDraft
  /** What the plan shows when nothing is arranged. */
  shown: readonly Room[]
  readers: ReadonlyMap<number, FloorReader>
}

const IMAGES = 'image/png,image/jpeg,image/webp,image/svg+xml'

/** The image, and what can be put on the plan. */
export function PlanSide({ draft, shown, readers }: Props) {
  const { image, choose, removeImage } = draft
  return (
    <Stack gap="md">
      <Stack gap="xs">
        <Title order={2} size="h4">
          Image
        </Title>
        <Group gap="xs">
          <FileButton accept={IMAGES} onChange={(file) => file && choose.send(file)}>
            {(button) => (
              <Button {...button} size="xs" variant="default" loading={choose.isSending}>
                {image ? 'Replace image' : 'Choose image'}
              </Button>
            )}
          </FileButton>
          {image && (
            <Button size="xs" variant="default" onClick={removeImage}>
              Remove image
            </Button>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          PNG, JPEG, WebP or SVG, up to 2 MiB and 8,000 pixels. Others see it once you save.
        </Text>
        {choose.error !== undefined && <FailureNotice error={choose.error} />}
      </Stack>
      <Locations draft={draft} shown={shown} />
      <Readers draft={draft} readers={readers} />
    </Stack>
  )
}

const within = (room: Room): Room[] => [room, ...room.children.flatMap(within)]

function Locations({ draft, shown }: Omit<Props, 'readers'>) {
  const { zones, image, addZones, removeZone } = draft
  const rooms = useMemo(() => shown.flatMap(within), [shown])
  const placed = new Set(zones.map(({ location_id }) => location_id))
  const { width, height } = unitsOf(image)
  const place = (id: number) => {
    // Each next one a little further, so that none hides another.
    const off = (placed.size % 8) * 400
    addZones([zoneOf(id, { x: 800 + off, y: 400 + off / 2, width: 2000, height: 1200 })])
  }
  const arrange = () => {
    const all = layoutOf(shown, { x: 0, y: 0, width: 1250, height: (1250 * height) / width })
    const { scale } = frameOf(image, { x: 0, y: 0, width: 1250, height: 1250 })
    addZones(
      all.map(({ room, box }) =>
        zoneOf(room.id, {
          x: box.x / scale,
          y: box.y / scale,
          width: box.width / scale,
          height: box.height / scale,
        }),
      ),
    )
  }
  return (
    <PlaceList
      title="Locations"
      items={rooms.map((room) => ({
        id: room.id,
        name: room.name,
        about: pathTo(room.parent)
          .map(({ name }) => name)
          .join(' › '),
      }))}
      {...{ placed, onPlace: place, onRemove: removeZone }}
      extra={
        placed.size === 0 && (
          <Button size="xs" variant="default" onClick={arrange} style={{ alignSelf: 'start' }}>
            Start with the automatic layout
          </Button>
        )
      }
    />
  )
}

function Readers({ draft, readers }: Omit<Props, 'shown'>) {
  const { width, height } = unitsOf(draft.image)
  const placed = new Set(draft.readers.map(({ reader_id }) => reader_id))
  const place = (id: number) => {
    const off = (placed.size % 8) * 400
    draft.placeReader({
      reader_id: id,
      x: Math.round(width / 3 + off),
      y: Math.round(height / 2),
    })
  }
  return (
    <PlaceList
      title="Readers"
      items={[...readers.values()]}
      {...{ placed, onPlace: place, onRemove: draft.removeReader }}
    />
  )
}

type ListProps = {
  title: string
  items: readonly { id: number; name: string; about?: string }[]
  placed: ReadonlySet<number>
  onPlace: (id: number) => void
  onRemove: (id: number) => void
  extra?: ReactNode
}

/** More are found by name. */
const MOST_LISTED = 30

function PlaceList({ title, items, placed, onPlace, onRemove, extra }: ListProps) {
  const [q, setQ] = useState('')
  const found = items.filter(({ name }) => contains(name, q))
  if (items.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={2} size="h4">
        {title}
      </Title>
      {extra}
      {items.length > 8 && (
        <SearchBox size="xs" aria-label={`Search ${title.toLowerCase()}`} value={q} onChange={setQ} />
      )}
      <ul className="plan-list">
        {found.slice(0, MOST_LISTED).map(({ id, name, about }) => (
          <li key={id}>
            <span>
              <Text size="sm">{name}</Text>
              {about !== undefined && about !== '' && (
                <Text size="xs" c="dimmed">
                  {about}
                </Text>
              )}
            </span>
            {placed.has(id) ? (
              <Button size="compact-xs" variant="default" onClick={() => onRemove(id)}>
                Remove
                <VisuallyHidden>{` ${name}`}</VisuallyHidden>
              </Button>
            ) : (
              <Button size="compact-xs" onClick={() => onPlace(id)}>
                Place
                <VisuallyHidden>{` ${name}`}</VisuallyHidden>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {found.length > MOST_LISTED && (
        <Text
          size="xs"
          c="dimmed"
        >{`The first ${MOST_LISTED} of ${found.length}. Search to find the others.`}</Text>
      )}
    </Stack>
  )
}
