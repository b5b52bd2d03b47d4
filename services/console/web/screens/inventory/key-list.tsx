import { Button, Group, Stack, Table, Text } from '@mantine/core'
import { ScrollRegion } from '../../parts/scroll-region.tsx'

type Props = {
  keys: readonly string[]
  /** Messages of the API by key. */
  problems: ReadonlyMap<string, string>
  onRemove: (keys: readonly string[]) => void
}

/** Keys with a problem come first. */
const SHOWN = 100

export function KeyList({ keys, problems, onRemove }: Props) {
  const wrong = keys.filter((key) => problems.has(key))
  const shown = [...wrong, ...keys.filter((key) => !problems.has(key))].slice(0, SHOWN)
  const number = new Intl.NumberFormat()
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600} role="status">
          {keys.length === 1 ? '1 key in the list' : `${number.format(keys.length)} keys in the list`}
        </Text>
        <Group gap="xs">
          {wrong.length > 0 && (
            <Button size="xs" color="red" variant="outline" onClick={() => onRemove(wrong)}>
              {`Remove ${number.format(wrong.length)} with a problem`}
            </Button>
          )}
          {keys.length > 0 && (
            <Button size="xs" variant="default" onClick={() => onRemove(keys)}>
              Clear list
            </Button>
          )}
        </Group>
      </Group>
      {shown.length > 0 && (
        <ScrollRegion label="Keys" maxHeight={420}>
          <Table verticalSpacing={4}>
            <Table.Tbody>
              {shown.map((key) => (
                <KeyRow key={key} name={key} problem={problems.get(key)} onRemove={() => onRemove([key])} />
              ))}
            </Table.Tbody>
          </Table>
        </ScrollRegion>
      )}
      {keys.length > shown.length && (
        <Text size="sm" c="dimmed">
          {`and ${number.format(keys.length - shown.length)} more`}
        </Text>
      )}
    </Stack>
  )
}

type RowProps = { name: string; problem: string | undefined; onRemove: () => void }

const KeyRow = ({ name, problem, onRemove }: RowProps) => (
  <Table.Tr>
    <Table.Td style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm" ff="monospace">
        {name}
      </Text>
      {problem !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)">
          {problem}
        </Text>
      )}
    </Table.Td>
    <Table.Td ta="right">
      <Button size="compact-xs" variant="subtle" aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </Button>
    </Table.Td>
  </Table.Tr>
)
