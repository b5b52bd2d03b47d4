import { Button, Group, Stack, Text } from '@mantine/core'
import { wordsFor } from '../../parts/things/known.ts'
import { AssetLink } from '../../parts/things/links.tsx'
import type { Match } from '../../parts/load/lookups.ts'
import type { TagType } from '../../parts/things/tag-types.ts'
import { type Row, valuesOf } from './rows.ts'
import { titleOf } from './status-text.ts'
import { shownValue } from '../../parts/things/tag-values.ts'

export type RowActions = {
  onRemove: (values: readonly string[]) => void
  onChooseAsset: (value: string, asset: Match) => void
  onTakeAsLocation: (value: string, location: Match) => void
  onSplit: (value: string) => void
}

type Props = { row: Row; actions: RowActions }

export function ScanRow({ row, actions }: Props) {
  const values = valuesOf(row)
  const name = row.kind === 'asset' ? row.asset.name : shownValue(row.value)
  return (
    <Group
      component="li"
      justify="space-between"
      align="flex-start"
      wrap="nowrap"
      gap="xs"
      className="scan-row"
    >
      <Stack gap={4} style={{ minWidth: 0, flex: 1, overflowWrap: 'anywhere' }}>
        <RowText row={row} actions={actions} />
      </Stack>
      <Button
        size="sm"
        variant="subtle"
        aria-label={`Remove ${name}`}
        onClick={() => actions.onRemove(values)}
      >
        Remove
      </Button>
    </Group>
  )
}

function RowText({ row, actions }: Props) {
  if (row.kind === 'asset') return <AssetText asset={row.asset} values={row.values} />
  return (
    <>
      <Text size="sm" ff="monospace">
        {shownValue(row.value)}
      </Text>
      {row.kind === 'unchecked' && (
        <Text size="sm" c="dimmed">
          Not checked yet
        </Text>
      )}
      {row.kind === 'unknown' && <Unknown value={row.value} onSplit={actions.onSplit} />}
      {row.kind === 'location' && (
        <>
          <Text size="sm">{`This is the location ${titleOf(row.location)}.`}</Text>
          <Choice
            label={`Use ${row.location.name} as the location`}
            onClick={() => actions.onTakeAsLocation(row.value, row.location)}
          />
        </>
      )}
      {row.kind === 'ambiguous' && <Choices row={row} actions={actions} />}
    </>
  )
}

function AssetText({ asset, values }: { asset: Match; values: readonly string[] }) {
  const others = values.filter((value) => value !== asset.external_key)
  return (
    <>
      <AssetLink id={asset.id}>{asset.name}</AssetLink>
      <Text size="xs" c="dimmed">
        {asset.external_key}
      </Text>
      {others.length > 0 && (
        <Text size="xs" c="dimmed">{`Scanned: ${shownValue(values.join(' and '))}`}</Text>
      )}
      {values.length > 1 && <Text size="xs">Scanned under several names. It counts once.</Text>}
    </>
  )
}

function Unknown({ value, onSplit }: { value: string; onSplit: RowActions['onSplit'] }) {
  const parts = value.split(/\s+/).length
  return (
    <>
      <Text size="sm" c="var(--mantine-color-error)">
        Nothing has this key or tag
      </Text>
      {parts > 1 && <Choice label={`Split at spaces into ${parts}`} onClick={() => onSplit(value)} />}
    </>
  )
}

/** The person decides: a save of the wrong asset is worse than a question. */
function Choices({ row, actions }: { row: Extract<Row, { kind: 'ambiguous' }>; actions: RowActions }) {
  return (
    <>
      <Text size="sm" c="var(--mantine-color-error)">
        This names more than one thing. Choose one:
      </Text>
      {row.matches.map((match) =>
        match.type === 'asset' ? (
          <Choice
            key={match.id}
            label={`${titleOf(match)}, by its ${nameOf(match)}`}
            onClick={() => actions.onChooseAsset(row.value, match)}
          />
        ) : (
          <Choice
            key={match.id}
            label={`Use ${titleOf(match)} as the location, by its ${nameOf(match)}`}
            onClick={() => actions.onTakeAsLocation(row.value, match)}
          />
        ),
      )}
    </>
  )
}

const TAGS: Readonly<Record<TagType, string>> = { rfid: 'RFID tag', ble: 'Bluetooth tag', barcode: 'barcode' }
const nameOf = ({ tag }: Match) => (tag === null ? 'key' : (wordsFor(TAGS, tag.tag_type) ?? 'tag'))

/** The label wraps on a phone. */
const Choice = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Button
    size="sm"
    variant="default"
    onClick={onClick}
    h="auto"
    mih={36}
    py={6}
    style={{ alignSelf: 'flex-start', maxWidth: '100%' }}
    styles={{ label: { whiteSpace: 'normal', textAlign: 'start', height: 'auto', lineHeight: 1.4 } }}
  >
    {label}
  </Button>
)
