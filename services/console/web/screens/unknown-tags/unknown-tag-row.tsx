import { Button, Group, Table, Text } from '@mantine/core'
import { type components, unwrap } from '@whereabouts/client/client'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { Cell } from '../../parts/stacked-table.tsx'
import { When } from '../../parts/when.tsx'
import { api } from '../../session/api.ts'
import { tagTypeLabel } from '../../parts/tag-types.ts'

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
      <Cell>
        <Text size="sm" ff="monospace">
          {tag.value}
        </Text>
        {tag.ibeacon !== null && (
          <Text size="xs" c="dimmed" ff="monospace">
            {`iBeacon ${tag.ibeacon}`}
          </Text>
        )}
      </Cell>
      <Cell label="Type">{tagTypeLabel(tag.tag_type)}</Cell>
      <Cell label="Last read">
        <When at={tag.last_seen_at} />
      </Cell>
      <Cell label="Reads">{count.format(tag.reads)}</Cell>
      <Cell label="Last read by">{`${tag.reader_key}, antenna ${tag.antenna}`}</Cell>
      <Cell label="Signal">{tag.rssi_dbm === null ? '–' : `${tag.rssi_dbm} dBm`}</Cell>
      <Cell>
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
            This removes the tag from the list. The list shows it again when a reader reads it again.
          </ConfirmButton>
        </Group>
      </Cell>
    </Table.Tr>
  )
}
