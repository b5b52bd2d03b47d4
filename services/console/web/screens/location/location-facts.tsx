import { Badge, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { Card } from '../../parts/card.tsx'
import { When } from '../../parts/when.tsx'
import type { Location } from './location-draft.ts'

export function LocationFacts({ location }: { location: Location }) {
  const { external_key, description, is_active, valid_from, valid_to, created_at, updated_at } = location
  return (
    <Card title="Data">
      <Table variant="vertical" layout="fixed" withRowBorders={false} verticalSpacing={4}>
        <Table.Tbody>
          <Fact name="External key">{external_key}</Fact>
          <Fact name="Description">{description ?? '–'}</Fact>
          <Fact name="State">
            <Badge variant="light" color={is_active ? 'green' : 'gray'}>
              {is_active ? 'active' : 'inactive'}
            </Badge>
          </Fact>
          <Fact name="Valid">
            from <When at={valid_from} as="day" />
            {valid_to !== null && (
              <>
                {' '}
                to <When at={valid_to} as="day" />
              </>
            )}
          </Fact>
          <Fact name="Created">
            <When at={created_at} />
          </Fact>
          <Fact name="Changed">
            <When at={updated_at} />
          </Fact>
        </Table.Tbody>
      </Table>
    </Card>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <Table.Tr>
    <Table.Th w={120}>{name}</Table.Th>
    <Table.Td style={{ overflowWrap: 'anywhere' }}>{children}</Table.Td>
  </Table.Tr>
)
