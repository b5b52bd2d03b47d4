import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useEffect, useRef, useState } from 'react'
import { AssetLink, LocationLink } from '../../parts/links.tsx'
import { Pager } from '../../parts/pager.tsx'
import { When } from '../../parts/when.tsx'
import type { Outcome, SavedRow } from './moved.ts'
import { ScrollRegion } from '../../parts/scroll-region.tsx'

export type Saved = { response: components['schemas']['InventorySaved']; outcome: Outcome }

const SHOWN = 50

/** The result of a save. */
export function Result({ saved, onAgain }: { saved: Saved; onAgain: () => void }) {
  const [offset, setOffset] = useState(0)
  const { moved, first, stayed } = saved.outcome
  const rows = [...moved, ...first, ...stayed]
  const start = useRef<HTMLDivElement>(null)
  // The focused button was removed.
  useEffect(() => start.current?.focus(), [])
  return (
    <Stack gap="sm" ref={start} tabIndex={-1} style={{ outline: 'none' }}>
      <Summary saved={saved} />
      <ScrollRegion label="Saved assets">
        <Table miw={480}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Asset</Table.Th>
              <Table.Th>From</Table.Th>
              <Table.Th>To</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(offset, offset + SHOWN).map((row) => (
              <SavedRowView key={row.key} row={row} to={saved.response} />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
      <Pager offset={offset} limit={SHOWN} total={rows.length} onOffset={setOffset} what="assets" />
      <Group justify="flex-end">
        <Button onClick={onAgain}>Save another inventory</Button>
      </Group>
    </Stack>
  )
}

function Summary({ saved: { response, outcome } }: { saved: Saved }) {
  const number = new Intl.NumberFormat()
  const assets = response.count === 1 ? '1 asset is' : `${number.format(response.count)} assets are`
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
    </Alert>
  )
}

function SavedRowView({ row: { key, assetId, from }, to }: { row: SavedRow; to: Saved['response'] }) {
  const hasMoved = from?.id !== to.location_id
  return (
    <Table.Tr>
      <Table.Td>{assetId === undefined ? key : <AssetLink id={assetId}>{key}</AssetLink>}</Table.Td>
      <Table.Td>
        {from === null ? (
          <Text size="sm" c="dimmed">
            Unknown
          </Text>
        ) : (
          <LocationLink id={from.id}>{from.key ?? 'Deleted location'}</LocationLink>
        )}
      </Table.Td>
      <Table.Td>
        {hasMoved ? (
          <LocationLink id={to.location_id}>{to.location_name}</LocationLink>
        ) : (
          <Text size="sm" c="dimmed">
            Unchanged
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
