import { Button, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { type Column, DataTable } from '../../../../parts/table/data-table.tsx'
import { When } from '../../../../parts/time/when.tsx'
import { useSession } from '../../../../session/use-session.ts'
import { BeaconLine } from '../../unknown-tags/beacon-line.tsx'
import { ClaimTag } from '../../unknown-tags/claim-tag.tsx'
import { signalText } from '../../../connect/health-text.ts'
import { ProblemList } from '../problems/problem-list.tsx'
import { ScanPointForm } from '../scan-points/scan-point-form.tsx'
import { type SeenTag, useLiveReads } from './use-live-reads.ts'
import { isAssignable, NOT_ASSIGNABLE, shownValue } from '../../../../parts/things/tag-values.ts'

type Props = { id: number; readerKey: string }

const number = new Intl.NumberFormat()

/** What a reader sends at this moment, for a person at the door with a tag. */
export default function LiveReads({ id, readerKey }: Props) {
  const { isAdmin, canWrite } = useSession()
  const { tags, problems, omitted } = useLiveReads(id)
  const [claimed, setClaimed] = useState<SeenTag>()
  const [placed, setPlaced] = useState<number>()
  const columns = useMemo(
    () => columnsOf(canWrite ? setClaimed : undefined, isAdmin ? setPlaced : undefined),
    [isAdmin, canWrite],
  )
  return (
    <Stack gap="sm">
      {tags.length === 0 ? (
        <Text size="sm" c="dimmed" role="status">
          Waiting for reads. Hold a tag in front of an antenna.
        </Text>
      ) : (
        <DataTable
          label="Tags that are read"
          columns={columns}
          rows={tags}
          rowKey={({ name }) => name}
          maxHeight={480}
          isLive
        />
      )}
      {omitted > 0 && (
        <Text size="sm" c="dimmed">
          {`${number.format(omitted)} more reads not shown: too many came at once.`}
        </Text>
      )}
      {problems.length > 0 && (
        <div>
          <Text size="sm" fw={500}>
            Last problem
          </Text>
          <ProblemList problems={problems} />
        </div>
      )}
      {claimed && (
        <ClaimTag
          tag={{ ...claimed.tag, reader_key: readerKey, ibeacon: claimed.ibeacon ?? null }}
          onAttached={() => undefined}
          onClose={() => setClaimed(undefined)}
        />
      )}
      {placed !== undefined && (
        <ScanPointForm readerId={id} nextAntenna={placed} onClose={() => setPlaced(undefined)} />
      )}
    </Stack>
  )
}

const columnsOf = (
  onClaim: ((tag: SeenTag) => void) | undefined,
  onPlace: ((antenna: number) => void) | undefined,
): readonly Column<SeenTag>[] => [
  {
    label: 'Tag',
    role: 'title',
    cell: ({ tag, ibeacon, asset }) => (
      <>
        <Text size="sm" fw={500}>
          {asset?.name ?? 'Unknown tag'}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {shownValue(tag.value)}
        </Text>
        <BeaconLine value={tag.value} ibeacon={ibeacon} />
      </>
    ),
  },
  {
    label: 'Antenna',
    cell: ({ antenna, location }) => `${antenna ?? 'None'}, ${location?.name ?? 'no location'}`,
  },
  { label: 'Signal', align: 'right', width: 110, cell: ({ rssi }) => signalText(rssi) },
  { label: 'Reads', align: 'right', width: 80, cell: ({ reads }) => number.format(reads) },
  { label: 'Last read', width: 120, cell: ({ received_at }) => <When at={received_at} as="clock" /> },
  {
    label: 'Actions',
    role: 'actions',
    width: 150,
    cell: (seen) => <Actions seen={seen} onClaim={onClaim} onPlace={onPlace} />,
  },
]

type ActionsProps = {
  seen: SeenTag
  onClaim: ((tag: SeenTag) => void) | undefined
  onPlace: ((antenna: number) => void) | undefined
}

/** What a read still needs to move an asset. */
function Actions({ seen, onClaim, onPlace }: ActionsProps) {
  const { antenna, asset, location, location_key: key, tag } = seen
  const needsPlace = location === null && key === null && antenna !== null
  return (
    <Stack gap={4} align="flex-start">
      {asset === null && onClaim && !isAssignable(tag.value) && <Text size="xs">{NOT_ASSIGNABLE}</Text>}
      {asset === null && isAssignable(tag.value) && onClaim && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onClaim(seen)}
          aria-label={`Assign ${shownValue(tag.value)}`}
        >
          Assign
        </Button>
      )}
      {needsPlace && onPlace && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onPlace(antenna)}
          aria-label={`Set location of antenna ${antenna}`}
        >
          Set location
        </Button>
      )}
    </Stack>
  )
}
