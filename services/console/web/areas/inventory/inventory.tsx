import { Alert, Grid, Stack, Text } from '@mantine/core'
import { useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { EmptyState } from '../../parts/load/empty-state.tsx'
import { LocationPicker, type PickedLocation } from '../../parts/locations/location-picker.tsx'
import { Screen } from '../../parts/page/screen.tsx'
import { SendForm } from '../../parts/form/send-form.tsx'
import { useSend } from '../../parts/form/use-send.ts'
import { Result, SavedAssets } from './result.tsx'
import { isProblem, rowsOf } from './rows.ts'
import { isLocationGone, save, type Saved, type SaveRequest } from './save.ts'
import { ScanList } from './scan-list.tsx'
import { type LastEntry, statusText } from './status-text.ts'
import { useDraft } from './use-draft.ts'
import { useLookups } from './use-lookups.ts'
import { ValueEntry } from './value-entry.tsx'
import { scanTyping } from './scan-typing.ts'
import { undoSave } from './undo-save.ts'
import { undoneText } from './undone.ts'
import { WhatMoves } from './what-moves.tsx'
import { countText } from '../../parts/table/count-text.ts'
import { offerUndo } from '../../parts/form/undo.tsx'

import { addValues, choose, EMPTY_DRAFT, MAX_VALUES, removeSaved, removeValues, splitAtSpaces, takeAsLocation } from './draft.ts' // oxfmt-ignore
import { ViewersNote } from '../../session/for-members.tsx'
import { useSession } from '../../session/use-session.ts'

/** Saves that assets are at a location now. */
export default function InventoryScreen() {
  const { canWrite } = useSession()
  if (canWrite) return <Inventory />
  return (
    <Screen title="Save inventory">
      <ViewersNote />
    </Screen>
  )
}

function Inventory() {
  const { draft, change, isKept } = useDraft()
  const lookups = useLookups(draft.values)
  const rows = useMemo(() => rowsOf(draft, lookups.found), [draft, lookups.found])
  const field = useRef<HTMLInputElement>(null)
  const [last, setLast] = useState<LastEntry>()
  const [progress, setProgress] = useState('')
  const saving = useSend((request: SaveRequest) => save(request), {
    reload: RELOAD,
    onDone: (saved) => {
      change((now) => removeSaved(now, saved.values))
      setLast(undefined)
      offerMoveBack(saved)
    },
  })

  const enter = (values: readonly string[]): readonly string[] => {
    if (saving.result) saving.reset()
    let leftOut: readonly string[] = []
    change((now) => {
      const result = addValues(now, values)
      leftOut = result.leftOut
      setLast({ values, added: result.added, repeated: result.repeated, leftOut: leftOut.length })
      return result.draft
    })
    return leftOut
  }
  /** A button of the list disappears with its row: the next scan must not get lost. */
  const edit = (work: Parameters<typeof change>[0]) => {
    change(work)
    setLast(undefined)
    field.current?.focus()
  }
  const pickLocation = (location: PickedLocation | null) => {
    change((now) => ({ ...now, location }))
    if (location) field.current?.focus() // the next is a scan
  }
  /** The location field shows its location again when it loses the focus. */
  const takeFromLocation = (value: string) => {
    enter([value])
    field.current?.focus()
  }
  const startOver = () => {
    saving.reset()
    field.current?.focus()
  }
  const count = rows.filter((row) => !isProblem(row)).length
  const submit = () => {
    const { location } = draft
    if (location)
      saving.send({ draft, location, found: lookups.found, onProgress: setProgress, onFound: lookups.add })
  }
  return (
    <Screen
      title="Save inventory"
      lead="Pick a location, scan the assets there, and save. Each asset is then at that location."
    >
      {saving.result && <Result saved={saving.result} left={draft.values.length} onDone={startOver} />}
      {!isKept && <NotKept />}
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack>
            <ScansIn onScan={takeFromLocation}>
              <LocationPicker
                label="Location"
                value={draft.location}
                onChange={pickLocation}
                error={
                  isLocationGone(saving.error)
                    ? 'This location was deleted or renamed. Pick it again.'
                    : undefined
                }
                isRequired
              />
            </ScansIn>
            <ValueEntry field={field} onValues={enter} status={statusText(last, rows)} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <SendForm
            send={saving}
            label={count === 0 ? 'Save' : `Save ${new Intl.NumberFormat().format(count)}`}
            onSubmit={submit}
            isDisabled={draft.location === null || count === 0}
            shownFields={['location_identifier']}
            isAtThumb
            beside={draft.location && <WhatMoves rows={rows} location={draft.location} />}
          >
            {rows.length === 0 ? (
              <EmptyState title="Nothing scanned yet">
                {`Scan, type or paste barcodes, tags or keys of assets. The list stays here until you save it. It holds at most ${new Intl.NumberFormat().format(MAX_VALUES)}.`}
              </EmptyState>
            ) : (
              <ScanList
                rows={rows}
                state={lookups.state}
                actions={{
                  onRemove: (values) => edit((now) => removeValues(now, values)),
                  onClear: () => edit(() => EMPTY_DRAFT),
                  onSplit: (value) => edit((now) => splitAtSpaces(now, value)),
                  onAskAgain: lookups.askAgain,
                  onChooseAsset: (value, { id }) => edit((now) => choose(now, { value, assetId: id })),
                  onTakeAsLocation: (value, { id, name, external_key }) =>
                    edit((now) => takeAsLocation(now, value, { id, name, external_key })),
                }}
              />
            )}
            <Text size="sm" role="status">
              {saving.isSending && `${progress}…`}
              {rows.length > 0 && draft.location === null && 'Pick a location to save the list.'}
            </Text>
          </SendForm>
        </Grid.Col>
      </Grid>
      {saving.result && <SavedAssets saved={saving.result} />}
    </Screen>
  )
}

const RELOAD = [['assets'], ['asset'], ['report'], ['occupancy']]

/** Offers to undo what a save has moved. */
function offerMoveBack(saved: Saved): void {
  const { moved } = saved.outcome
  if (moved.length === 0) return
  offerUndo({
    message: `Moved ${countText(moved.length, 'assets')} to ${saved.response.location_name}.`,
    undo: () => undoSave(saved),
    done: undoneText,
    reload: RELOAD,
  })
}

const NotKept = () => (
  <Alert color="yellow" title="This browser cannot keep the list">
    Its storage is full or switched off. Save before you close or reload this page.
  </Alert>
)

type Props = { onScan: (value: string) => void; children: ReactNode }

/** Takes a scan out of a field that is for other text. Typing, Enter and Tab of a person work as usual. */
function ScansIn({ onScan, children }: Props) {
  const [next] = useState(scanTyping)
  const take = (event: KeyboardEvent) => {
    const value = next(event)
    if (value === undefined) return
    event.preventDefault()
    event.stopPropagation() // Enter would pick the marked option
    onScan(value)
  }
  return <div onKeyDownCapture={take}>{children}</div>
}
