import { Table, Text } from '@mantine/core'
import { memo } from 'react'
import { AssetLink, LocationLink } from '../../parts/links.tsx'
import { Cell, StackedTable } from '../../parts/stacked-table.tsx'
import { When } from '../../parts/when.tsx'
import type { Entry } from './movement-log.ts'

export function MovementTable({ entries }: { entries: readonly Entry[] }) {
  return (
    <StackedTable label="Movements" minWidth={560}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={110}>Time</Table.Th>
          <Table.Th>Asset</Table.Th>
          <Table.Th>From</Table.Th>
          <Table.Th>To</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.map((entry) => (
          <Row key={entry.key} entry={entry} />
        ))}
      </Table.Tbody>
    </StackedTable>
  )
}

/** Rows never change. */
const Row = memo(function MovementRow({ entry }: { entry: Entry }) {
  if (entry.kind === 'gap')
    return (
      <Table.Tr>
        <Cell label="Time">
          <When at={entry.at} as="clock" />
        </Cell>
        <Cell colSpan={3}>
          <Text size="sm" fs="italic">
            Movements may be missing here: the connection was lost for too long.
          </Text>
        </Cell>
      </Table.Tr>
    )
  const { occurred_at, asset, from_location: from, to_location: to } = entry.movement
  return (
    <Table.Tr>
      <Cell label="Time">
        <When at={occurred_at} as="clock" />
      </Cell>
      <Cell label="Asset">
        <AssetLink id={asset.id}>{asset.name}</AssetLink>
        <Text size="xs" c="dimmed">
          {asset.external_key}
        </Text>
      </Cell>
      <Cell label="From">
        {from ? (
          <LocationLink id={from.id}>{from.name}</LocationLink>
        ) : (
          <Text span size="sm" c="dimmed">
            Unknown
          </Text>
        )}
      </Cell>
      <Cell label="To">
        <LocationLink id={to.id}>{to.name}</LocationLink>
      </Cell>
    </Table.Tr>
  )
})
