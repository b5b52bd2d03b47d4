import { Button, Group, Table, Text } from '@mantine/core'
import { unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { LocationLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ScrollRegion } from '../../parts/scroll-region.tsx'
import { api } from '../../session/api.ts'
import { ScanPointForm } from './scan-point-form.tsx'
import { type ScanPoint, useScanPoints } from './use-scan-points.ts'

type Props = { readerId: number; isAdmin: boolean }

/** The antennas of a reader and their locations. */
export function ScanPoints({ readerId, isAdmin }: Props) {
  const points = useScanPoints(readerId)
  const [open, setOpen] = useState<'new' | ScanPoint>()
  const nextAntenna = Math.max(0, ...(points.data ?? []).map(({ antenna }) => antenna)) + 1
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
            <EmptyState title="No scan points yet">
              Assign antenna 1 to a location. Until then its reads have no location.
            </EmptyState>
          ) : (
            <ScrollRegion label="Scan points">
              <Table miw={420}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Antenna</Table.Th>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>Location</Table.Th>
                    <Table.Th aria-label="Actions" />
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {rows.map((point) => (
                    <ScanPointRow
                      key={point.id}
                      readerId={readerId}
                      point={point}
                      onEdit={isAdmin ? () => setOpen(point) : undefined}
                    />
                  ))}
                </Table.Tbody>
              </Table>
            </ScrollRegion>
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

type RowProps = { readerId: number; point: ScanPoint; onEdit: (() => void) | undefined }

function ScanPointRow({ readerId, point, onEdit }: RowProps) {
  const { id, antenna, name, location } = point
  const remove = async () =>
    unwrap(
      await api.DELETE('/api/v1/readers/{reader_id}/scan-points/{scan_point_id}', {
        params: { path: { reader_id: readerId, scan_point_id: id } },
      }),
    )
  return (
    <Table.Tr>
      <Table.Td>{antenna}</Table.Td>
      <Table.Td>{name}</Table.Td>
      <Table.Td>
        {location ? <LocationLink id={location.id}>{location.name}</LocationLink> : 'No location'}
      </Table.Td>
      <Table.Td>
        {onEdit && (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <Button size="xs" variant="default" onClick={onEdit} aria-label={`Edit ${name}`}>
              Edit
            </Button>
            <ConfirmButton
              label="Remove"
              ariaLabel={`Remove ${name}`}
              size="xs"
              work={remove}
              reload={[['reader', readerId]]}
            >
              {`Reads from antenna ${antenna} will have no location.`}
            </ConfirmButton>
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
