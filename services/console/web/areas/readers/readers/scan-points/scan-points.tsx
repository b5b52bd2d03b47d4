import { Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Card } from '../../../../parts/page/card.tsx'
import { ConfirmButton } from '../../../../parts/form/confirm-button.tsx'
import { type Column, DataTable } from '../../../../parts/table/data-table.tsx'
import { EmptyState } from '../../../../parts/load/empty-state.tsx'
import { LocationLink } from '../../../../parts/things/links.tsx'
import { Loaded } from '../../../../parts/load/loaded.tsx'
import { api } from '../../../../session/api.ts'
import { ScanPointForm } from './scan-point-form.tsx'
import { strengthText } from './scan-point-strength.ts'
import { offerUndo } from './undo-scan-point.tsx'
import { type ScanPoint, useScanPoints } from '../../../connect/use-scan-points.ts'

type Props = { readerId: number; isAdmin: boolean }

/** The antennas of a reader and their locations. */
export function ScanPoints({ readerId, isAdmin }: Props) {
  const points = useScanPoints(readerId)
  const [open, setOpen] = useState<'new' | ScanPoint>()
  const nextAntenna = Math.max(0, ...(points.data ?? []).map(({ antenna }) => antenna)) + 1
  const hasStrength = (points.data ?? []).some((point) => strengthText(point) !== '')
  const columns = useMemo(
    () => columnsOf(readerId, hasStrength, isAdmin ? setOpen : undefined),
    [readerId, hasStrength, isAdmin],
  )
  const add = (
    <Button size="xs" onClick={() => setOpen('new')} disabled={!isAdmin}>
      Add scan point
    </Button>
  )
  return (
    <Card title="Scan points" actions={add}>
      <Loaded query={points} what="the scan points">
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No scan points yet" isInCard>
              Assign antenna 1 to a location. Until then, its reads move no asset.
            </EmptyState>
          ) : (
            <DataTable
              label="Antennas and their locations"
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              minWidth={420}
            />
          )
        }
      </Loaded>
      {!isAdmin && (
        <Text size="sm" c="dimmed">
          Only administrators can change scan points.
        </Text>
      )}
      {open !== undefined && (
        <ScanPointForm
          readerId={readerId}
          {...(open !== 'new' && { scanPoint: open })}
          nextAntenna={nextAntenna}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Card>
  )
}

const columnsOf = (
  readerId: number,
  hasStrength: boolean,
  onEdit: ((point: ScanPoint) => void) | undefined,
): readonly Column<ScanPoint>[] => [
  { label: 'Antenna', cell: ({ antenna }) => antenna },
  { label: 'Name', cell: ({ name }) => name },
  {
    label: 'Location',
    cell: ({ location, deletedLocationId: deleted }) => {
      if (location) return <LocationLink id={location.id}>{location.name}</LocationLink>
      if (deleted === undefined) return 'No location'
      return <LocationLink id={deleted}>Deleted location: reads move nothing</LocationLink>
    },
  },
  // Most antennas have none.
  ...(hasStrength ? [{ label: 'Strength', cell: (point: ScanPoint) => strengthText(point) || '–' }] : []),
  {
    label: 'Actions',
    role: 'actions',
    cell: (point) => onEdit && <Actions readerId={readerId} point={point} onEdit={() => onEdit(point)} />,
  },
]

type ActionsProps = { readerId: number; point: ScanPoint; onEdit: () => void }

function Actions({ readerId, point, onEdit }: ActionsProps) {
  const { id, antenna, name, location } = point
  const client = useQueryClient()
  const reload = () => client.invalidateQueries({ queryKey: ['reader', readerId] })
  const remove = () =>
    api.delete('/api/v1/readers/{reader_id}/scan-points/{scan_point_id}', {
      path: { reader_id: readerId, scan_point_id: id },
    })
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button size="xs" variant="default" onClick={onEdit} aria-label={`Edit ${name}`}>
        Edit
      </Button>
      <ConfirmButton
        label="Delete"
        ariaLabel={`Delete ${name}`}
        size="xs"
        work={remove}
        reload={[['reader', readerId]]}
        onDone={() => offerUndo(readerId, point, reload)}
      >
        {location
          ? `From now on, reads of antenna ${antenna} have no location: they no longer move assets to ${location.name}. History stays.`
          : `Reads of antenna ${antenna} already have no location. History stays.`}
      </ConfirmButton>
    </Group>
  )
}
