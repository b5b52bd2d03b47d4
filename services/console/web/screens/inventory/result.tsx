import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { countText } from '../../parts/count-text.ts'
import { AssetLink, LocationLink } from '../../parts/links.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Cell, StackedTable } from '../../parts/stacked-table.tsx'
import { When } from '../../parts/when.tsx'
import type { SavedRow } from './moved.ts'
import type { Saved } from './save.ts'

type Props = {
  saved: Saved
  /** Values that name no asset. */
  left: number
  onDone: () => void
}

const SHOWN = 50

/** The result of a save. */
export function Result({ saved, left, onDone }: Props) {
  const [offset, setOffset] = useState(0)
  const { moved, first, stayed } = saved.outcome
  const rows = [...moved, ...first, ...stayed]
  const start = useRef<HTMLDivElement>(null)
  // The focused button was removed.
  useEffect(() => start.current?.focus(), [])
  return (
    <Stack gap="sm" ref={start} tabIndex={-1} style={{ outline: 'none' }}>
      <Summary saved={saved} left={left} />
      <StackedTable label="Saved assets">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Asset</Table.Th>
            <Table.Th>From</Table.Th>
            <Table.Th>To</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.slice(offset, offset + SHOWN).map((row) => (
            <SavedRowView key={row.asset.id} row={row} to={saved.response} />
          ))}
        </Table.Tbody>
      </StackedTable>
      <Pager offset={offset} limit={SHOWN} total={rows.length} onOffset={setOffset} what="assets" />
      <Group justify="flex-end">
        <Button onClick={onDone}>Save another inventory</Button>
      </Group>
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

function SavedRowView({ row: { asset, from }, to }: { row: SavedRow; to: Saved['response'] }) {
  const hasMoved = from?.id !== to.location_id
  return (
    <Table.Tr>
      <Cell>
        <AssetLink id={asset.id}>{asset.name}</AssetLink>
        <Key of={asset.external_key} />
      </Cell>
      <Cell label="From">
        {from === null ? (
          <Text size="sm" c="dimmed">
            Unknown
          </Text>
        ) : (
          <>
            <LocationLink id={from.id}>{from.name ?? from.key ?? 'Deleted location'}</LocationLink>
            {from.name !== null && <Key of={from.key} />}
          </>
        )}
      </Cell>
      <Cell label="To">
        {hasMoved ? (
          <LocationLink id={to.location_id}>{to.location_name}</LocationLink>
        ) : (
          <Text size="sm" c="dimmed">
            Unchanged
          </Text>
        )}
      </Cell>
    </Table.Tr>
  )
}

const Key = ({ of }: { of: string | null }) => (
  <Text size="xs" c="dimmed">
    {of}
  </Text>
)
