import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ConfirmButton } from '../../parts/form/confirm-button.tsx'
import { countText } from '../../parts/table/count-text.ts'
import { ScrollRegion } from '../../parts/table/scroll-region.tsx'
import { isAsset, problemsFirst, type Row, valuesOf } from './rows.ts'
import { type RowActions, ScanRow } from './scan-row.tsx'
import type { Lookups } from './use-lookups.ts'
import './scan-list.css'

type Props = {
  rows: readonly Row[]
  state: Lookups['state']
  actions: RowActions & { onAskAgain: (values: readonly string[]) => void; onClear: () => void }
}

const SHOWN = 100

/** What was scanned: the assets, and above them what the person must look at. */
export function ScanList({ rows, state, actions }: Props) {
  const shown = problemsFirst(rows).slice(0, SHOWN)
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600} role="status">
          {`${countText(rows.filter(isAsset).length, 'assets')} in the list`}
        </Text>
        <ConfirmButton size="sm" label="Clear list" work={async () => actions.onClear()}>
          {`Removes ${countText(rows.flatMap(valuesOf).length, 'scanned values')} from the list. Nothing is saved.`}
        </ConfirmButton>
      </Group>
      <Unchecked rows={rows} state={state} />
      <Unknown rows={rows} actions={actions} />
      <ScrollRegion label="Scanned" maxHeight={520}>
        <ul className="scan-list">
          {shown.map((row) => (
            <ScanRow key={keyOf(row)} row={row} actions={actions} />
          ))}
        </ul>
      </ScrollRegion>
      {rows.length > shown.length && (
        <Text size="sm" c="dimmed">
          {`and ${new Intl.NumberFormat().format(rows.length - shown.length)} more`}
        </Text>
      )}
    </Stack>
  )
}

const keyOf = (row: Row) => (row.kind === 'asset' ? `asset ${row.asset.id}` : `value ${row.value}`)

const WAITING: Record<Lookups['state'], string> = {
  asking: 'Checking them now…',
  waiting: 'You are offline. They are checked when you are back online, and when you save.',
  failed: 'The server cannot be reached. They are checked again every few seconds, and when you save.',
}

function Unchecked({ rows, state }: Pick<Props, 'rows' | 'state'>) {
  const count = rows.filter(({ kind }) => kind === 'unchecked').length
  return (
    <Text size="sm" role="status">
      {count > 0 && `${countText(count, 'values')} not checked yet. ${WAITING[state]}`}
    </Text>
  )
}

function Unknown({ rows, actions }: Pick<Props, 'rows' | 'actions'>) {
  const values = rows.flatMap((row) => (row.kind === 'unknown' ? [row.value] : []))
  if (values.length === 0) return null
  return (
    <Alert color="yellow" role="status" title={countText(values.length, 'unknown values')}>
      <Text size="sm">
        They stay in the list and are not saved. Open the asset in{' '}
        <Anchor component={Link} to="/assets" size="sm" c="inherit" underline="always">
          Assets
        </Anchor>
        , or create it, and attach the tag to it. Then check again.
      </Text>
      <Group gap="xs" mt="xs">
        <Button size="sm" variant="default" onClick={() => actions.onAskAgain(values)}>
          Check again
        </Button>
        <Button size="sm" variant="default" onClick={() => actions.onRemove(values)}>
          {`Remove ${new Intl.NumberFormat().format(values.length)} unknown`}
        </Button>
      </Group>
    </Alert>
  )
}
