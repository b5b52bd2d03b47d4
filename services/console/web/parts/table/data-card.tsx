import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { Card } from '../page/card.tsx'
import { type AnyFields, entriesOf, type Values } from '../form/fields.ts'
import { When } from '../time/when.tsx'

type Props = { fields: AnyFields; resource: { created_at: string; updated_at: string } }

/** The fields of a resource as a table. */
export function DataCard({ fields, resource }: Props) {
  const shown = entriesOf(fields).filter(([, { isShownElsewhere }]) => !isShownElsewhere)
  return (
    <Card title="Data">
      <Table variant="vertical" layout="fixed" highlightOnHover={false}>
        <Table.Tbody>
          {shown.map(([key, { label, kind }]) => (
            <Row key={key} label={label}>
              <kind.Shown value={(resource as unknown as Values)[key]} />
            </Row>
          ))}
          <Row label="Created">
            <When at={resource.created_at} />
          </Row>
          <Row label="Changed">
            <When at={resource.updated_at} />
          </Row>
        </Table.Tbody>
      </Table>
    </Card>
  )
}

const Row = ({ label, children }: { label: string; children: ReactNode }) => (
  <Table.Tr>
    <Table.Th w={120}>{label}</Table.Th>
    <Table.Td style={{ overflowWrap: 'anywhere' }}>{children}</Table.Td>
  </Table.Tr>
)
