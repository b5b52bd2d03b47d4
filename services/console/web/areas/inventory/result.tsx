import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { countText } from '../../parts/table/count-text.ts'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { AssetLink, LocationLink } from '../../parts/things/links.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { When } from '../../parts/time/when.tsx'
import type { SavedRow } from './moved.ts'
import type { Saved } from './save.ts'

type Props = {
  saved: Saved
  /** Values that name no asset. */
  left: number
  onDone: () => void
}

const SHOWN = 50

/** What a save has done, in a few lines: the form stays where it was. */
export function Result({ saved, left, onDone }: Props) {
  const start = useRef<HTMLDivElement>(null)
  // The focused button was removed.
  useEffect(() => start.current?.focus(), [])
  return (
    <Stack gap="sm" ref={start} tabIndex={-1} style={{ outline: 'none' }}>
      <Summary saved={saved} left={left} />
      <Group justify="flex-end">
        <Button onClick={onDone}>Save another inventory</Button>
      </Group>
    </Stack>
  )
}

/** The saved assets, below the form for the next ones. */
export function SavedAssets({ saved }: Pick<Props, 'saved'>) {
  const [offset, setOffset] = useState(0)
  const { moved, first, stayed } = saved.outcome
  const rows = [...moved, ...first, ...stayed]
  const columns = useMemo(() => columnsOf(saved.response), [saved.response])
  return (
    <Stack gap="sm" component="section" aria-label="Last save">
      <Title order={2} size="h4">
        Saved assets
      </Title>
      <DataTable
        label="Saved assets"
        columns={columns}
        rows={rows.slice(offset, offset + SHOWN)}
        rowKey={({ asset }) => asset.id}
      />
      <Pager offset={offset} limit={SHOWN} total={rows.length} onOffset={setOffset} what="assets" />
    </Stack>
  )
}

function Summary({ saved: { response, outcome }, left }: Pick<Props, 'saved' | 'left'>) {
  const number = new Intl.NumberFormat()
  const assets = countText(response.count, 'assets are', 'asset is')
  const parts = [
    `${number.format(outcome.moved.length)} moved`,
    `${number.format(outcome.first.length)} seen for the first time`,
    `${number.format(outcome.stayed.length)} already there`,
  ]
  return (
    <Alert color="green" variant="light" role="status" title={`${assets} at ${response.location_name}`}>
      <Text size="sm">
        {`${parts.join(', ')}. Saved at `}
        <When at={response.timestamp} as="clock" />.
      </Text>
      {left > 0 && (
        <Text size="sm" mt="xs">
          {`${countText(left, 'scanned values were', 'scanned value was')} not saved. See the list below.`}
        </Text>
      )}
    </Alert>
  )
}

const columnsOf = (to: Saved['response']): readonly Column<SavedRow>[] => [
  {
    label: 'Asset',
    role: 'title',
    cell: ({ asset }) => (
      <>
        <AssetLink id={asset.id}>{asset.name}</AssetLink>
        <Key of={asset.external_key} />
      </>
    ),
  },
  { label: 'From', cell: ({ from }) => <From at={from} /> },
  {
    label: 'To',
    cell: ({ from }) =>
      from?.id === to.location_id ? (
        <Text size="sm" c="dimmed">
          Unchanged
        </Text>
      ) : (
        <LocationLink id={to.location_id}>{to.location_name}</LocationLink>
      ),
  },
]

function From({ at }: { at: SavedRow['from'] }) {
  if (at === null)
    return (
      <Text size="sm" c="dimmed">
        Unknown
      </Text>
    )
  return (
    <>
      <LocationLink id={at.id}>{at.name ?? at.key ?? 'Deleted location'}</LocationLink>
      {at.name !== null && <Key of={at.key} />}
    </>
  )
}

const Key = ({ of }: { of: string | null }) => (
  <Text size="xs" c="dimmed">
    {of}
  </Text>
)
