import { Button, Group, Table, Text } from '@mantine/core'
import { type components, unwrap } from '@whereabouts/client/client'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { When } from '../../parts/when.tsx'
import { api } from '../../session/api.ts'

type Props = { tag: components['schemas']['UnknownTag']; onClaim: () => void }

const count = new Intl.NumberFormat()

export function UnknownTagRow({ tag, onClaim }: Props) {
  const dismiss = async () =>
    unwrap(
      await api.DELETE('/api/v1/unknown-tags/{unknown_tag_id}', {
        params: { path: { unknown_tag_id: tag.id } },
      }),
    )
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" ff="monospace">
          {tag.value}
        </Text>
        {tag.ibeacon !== null && (
          <Text size="xs" c="dimmed" ff="monospace">
            {`iBeacon ${tag.ibeacon}`}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{tag.tag_type}</Table.Td>
      <Table.Td>
        <When at={tag.last_seen_at} />
      </Table.Td>
      <Table.Td>{count.format(tag.reads)}</Table.Td>
      <Table.Td>{`${tag.reader_key}, antenna ${tag.antenna}`}</Table.Td>
      <Table.Td>{tag.rssi_dbm === null ? '–' : `${tag.rssi_dbm} dBm`}</Table.Td>
      <Table.Td>
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button size="xs" variant="default" onClick={onClaim} aria-label={`Assign ${tag.value}`}>
            Assign
          </Button>
          <ConfirmButton
            label="Dismiss"
            ariaLabel={`Dismiss ${tag.value}`}
            size="xs"
            work={dismiss}
            reload={[['unknown-tags']]}
          >
            This removes the tag from the list until it is read again.
          </ConfirmButton>
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
