import { Code, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Card } from '../../parts/card.tsx'
import { When } from '../../parts/when.tsx'
import { ASSET_TYPES, type Asset } from '../assets/asset-values.ts'

/** What the asset is, as it was entered. */
export function AssetData({ asset }: { asset: Asset }) {
  const type = ASSET_TYPES.find(({ value }) => value === asset.type)?.label ?? asset.type
  const hasMetadata = Object.keys(asset.metadata).length > 0
  const rows: readonly [string, ReactNode][] = [
    [
      'External key',
      <Text key="key" size="sm" ff="monospace">
        {asset.external_key}
      </Text>,
    ],
    ['Type', type],
    ['Active', asset.is_active ? 'Yes' : 'No'],
    ['Description', asset.description === null ? '–' : <Lines key="text" text={asset.description} />],
    ['Valid from', <When key="from" at={asset.valid_from} as="day" />],
    ['Valid to', asset.valid_to === null ? 'No end' : <When key="to" at={asset.valid_to} as="day" />],
    ['Created', <When key="created" at={asset.created_at} />],
    ['Changed', <When key="updated" at={asset.updated_at} />],
  ]
  return (
    <Card title="Data">
      <Table variant="vertical" layout="fixed" highlightOnHover={false}>
        <Table.Tbody>
          {rows.map(([label, value]) => (
            <Table.Tr key={label}>
              <Table.Th w={120}>{label}</Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {hasMetadata && (
        <Code block mt="sm" tabIndex={0} aria-label="Metadata" role="region">
          {JSON.stringify(asset.metadata, null, 2)}
        </Code>
      )}
    </Card>
  )
}

const Lines = ({ text }: { text: string }) => (
  <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
    {text}
  </Text>
)
