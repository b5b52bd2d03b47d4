import { Button, Modal, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type AuditRow, actionText, actorText, shortValueText, shownChanges } from './audit-text.ts'
import { exactTime } from '../../time/times.ts'

/** Fields of a row of a list. The others are behind its button. */
const SHOWN = 2
const LONG = 60

const shortened = (text: string) => (text.length > LONG ? `${text.slice(0, LONG)}…` : text)

/** What a row of the audit changed, in short. */
export function ChangeList({ row }: { row: AuditRow }) {
  const changes = shownChanges(row.changes, shortValueText)
  return (
    <>
      {changes.slice(0, SHOWN).map(({ field, text }) => (
        <Text key={field} size="sm" style={{ overflowWrap: 'anywhere' }}>
          <Text span inherit c="dimmed">
            {field}
          </Text>{' '}
          {shortened(text)}
        </Text>
      ))}
      {changes.length > SHOWN && (
        <Text size="xs" c="dimmed">
          and {changes.length - SHOWN} more
        </Text>
      )}
    </>
  )
}

/** Everything that is known about a row: all fields, the address it came from, and the number of its request for support. */
export function DetailsButton({ row }: { row: AuditRow }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const title = actionText(row.action)
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Details of ${title}, ${exactTime(row.at)}`}
        onClick={open}
      >
        Details
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} size="lg">
        <Table variant="vertical" layout="fixed" highlightOnHover={false}>
          <Table.Tbody>
            {detailsOf(row).map(([label, text]) => (
              <Table.Tr key={label}>
                <Table.Th w={140}>{label}</Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{text}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Modal>
    </>
  )
}

const detailsOf = (row: AuditRow): (readonly [string, string])[] => [
  ['When', exactTime(row.at)],
  ['Who', actorText(row.actor)],
  ['Action', row.action],
  ...(row.subject.external_key === null ? [] : [['Key', row.subject.external_key] as const]),
  ...(row.ip === null ? [] : [['Address', row.ip] as const]),
  ...(row.request_id === null ? [] : [['Request', row.request_id] as const]),
  ...shownChanges(row.changes).map(({ field, text }) => [field, text] as const),
]
