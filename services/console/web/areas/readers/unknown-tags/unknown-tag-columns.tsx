import { Button, Group, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import type { Column } from '../../../parts/table/data-table.tsx'
import { tagTypeLabel } from '../../../parts/things/tag-types.ts'
import { BeaconLine } from './beacon-line.tsx'
import { When } from '../../../parts/time/when.tsx'
import { api } from '../../../session/api.ts'
import { isAssignable, NOT_ASSIGNABLE, shownValue } from '../../../parts/things/tag-values.ts'

export type UnknownTag = components['schemas']['UnknownTag']

const count = new Intl.NumberFormat()

/** Without `onClaim`, for viewers, nothing can be done with a tag. */
export const unknownTagColumns = (onClaim?: (tag: UnknownTag) => void): readonly Column<UnknownTag>[] => [
  {
    label: 'Value',
    role: 'title',
    sort: 'value',
    cell: ({ value, ibeacon }) => (
      <>
        <Text size="sm" ff="monospace">
          {shownValue(value)}
        </Text>
        <BeaconLine value={value} ibeacon={ibeacon} />
      </>
    ),
  },
  { label: 'Type', cell: ({ tag_type: type }) => tagTypeLabel(type) },
  { label: 'Last read', sort: 'last_seen_at', cell: ({ last_seen_at: at }) => <When at={at} /> },
  { label: 'Reads', sort: 'reads', cell: ({ reads }) => count.format(reads) },
  { label: 'Last read by', cell: ({ reader_key: reader, antenna }) => `${reader}, antenna ${antenna}` },
  { label: 'Signal', cell: ({ rssi_dbm: dbm }) => (dbm === null ? '–' : `${dbm} dBm`) },
  ...(onClaim ? [actionsColumn(onClaim)] : []),
]

const actionsColumn = (onClaim: (tag: UnknownTag) => void): Column<UnknownTag> => ({
  label: 'Actions',
  role: 'actions',
  cell: (tag) => (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {isAssignable(tag.value) ? (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onClaim(tag)}
          aria-label={`Assign ${shownValue(tag.value)}`}
        >
          Assign
        </Button>
      ) : (
        <Text size="xs">{NOT_ASSIGNABLE}</Text>
      )}
      <ConfirmButton
        label="Dismiss"
        ariaLabel={`Dismiss ${shownValue(tag.value)}`}
        size="compact-sm"
        work={() => dismiss(tag)}
        reload={[['unknown-tags']]}
      >
        This removes the tag from the list. The list shows it again when a reader reads it again.
      </ConfirmButton>
    </Group>
  ),
})

const dismiss = ({ id }: UnknownTag) =>
  api.delete('/api/v1/unknown-tags/{unknown_tag_id}', { path: { unknown_tag_id: id } })
