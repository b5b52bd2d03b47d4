import { Grid, Stack, Text } from '@mantine/core'
import { ApiError, unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { LocationPicker, type PickedLocation } from '../../parts/location-picker.tsx'
import { Screen } from '../../parts/screen.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import { findLocations } from './last-locations.ts'
import { KeyEntry } from './key-entry.tsx'
import { KeyList } from './key-list.tsx'
import { problemsOf } from './keys.ts'
import { outcomeOf } from './moved.ts'
import { Result, type Saved } from './result.tsx'

type SaveRequest = { location: PickedLocation; keys: readonly string[] }

/** Reads the earlier locations first, because the save overwrites them. */
async function save({ location, keys }: SaveRequest, onProgress: (text: string) => void): Promise<Saved> {
  const number = new Intl.NumberFormat()
  const earlier = await findLocations(keys, (done) =>
    onProgress(`Reading earlier locations: ${number.format(done)} of ${number.format(keys.length)}`),
  )
  onProgress('Saving')
  const body = { asset_identifiers: [...keys], location_identifier: location.external_key }
  const { data: response } = unwrap(await api.POST('/api/v1/inventory/save', { body }))
  return { response, outcome: outcomeOf(keys, earlier, response.location_id) }
}

/** Saves that assets are at a location now. */
export default function Inventory() {
  const [location, setLocation] = useState<PickedLocation | null>(null)
  const [keys, setKeys] = useState<readonly string[]>([])
  const [progress, setProgress] = useState('')
  const [sent, setSent] = useState<readonly string[]>([])
  const saving = useSend((request: SaveRequest) => save(request, setProgress), {
    reload: [['assets'], ['asset'], ['report'], ['occupancy']],
    onDone: () => setKeys([]),
  })
  const problems = problemsOf(saving.error instanceof ApiError ? saving.error.error : undefined, sent)
  const submit = () => {
    if (!location) return
    setSent(keys)
    saving.send({ location, keys })
  }
  return (
    <Screen
      title="Save inventory"
      lead="Pick a location, scan the assets there, and save. Each asset is then at that location."
    >
      {saving.result ? (
        <Result saved={saving.result} onAgain={saving.reset} />
      ) : (
        <Grid>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <Stack>
              <LocationPicker
                label="Location"
                value={location}
                onChange={setLocation}
                error={saving.fields['location_identifier']}
                isRequired
              />
              <KeyEntry keys={keys} onKeys={setKeys} />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <SendForm
              send={saving}
              label={keys.length === 0 ? 'Save' : `Save ${new Intl.NumberFormat().format(keys.length)}`}
              onSubmit={submit}
              isDisabled={location === null || keys.length === 0}
              shownFields={Object.keys(saving.fields)}
            >
              {keys.length === 0 ? (
                <EmptyState title="No keys yet">Scan, type or paste the external keys of assets.</EmptyState>
              ) : (
                <KeyList
                  keys={keys}
                  problems={problems}
                  onRemove={(removed) => {
                    const gone = new Set(removed)
                    setKeys(keys.filter((key) => !gone.has(key)))
                  }}
                />
              )}
              <Text size="sm" role="status">
                {saving.isSending && `${progress}…`}
              </Text>
            </SendForm>
          </Grid.Col>
        </Grid>
      )}
    </Screen>
  )
}
