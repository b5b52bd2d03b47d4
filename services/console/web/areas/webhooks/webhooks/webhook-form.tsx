import { Checkbox, Group, Radio, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { httpsUrl } from '../../../parts/form/checks.ts'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import { PickedMany } from '../../rules/rule/picked-many.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { LocationPicker } from '../../../parts/locations/location-picker.tsx'
import { ASSET_TYPES, assetTypeOf } from '../../../parts/things/asset-types.ts'
import { eventText, SENT_TYPES } from './event-types.ts'
import type { Settings } from './webhook-settings.ts'

type Props<T> = {
  title: string
  label: string
  /** What the form shows when it opens. */
  settings: Settings
  work: (settings: Settings) => Promise<T>
  onDone: (result: T) => void
  onClose: () => void
}

/** A dialog with the settings of a new webhook or of one that exists. */
export const WebhookForm = <T,>(props: Props<T>) => (
  <FormModal opened onClose={props.onClose} title={props.title} size="lg">
    <Fields {...props} />
  </FormModal>
)

function Fields<T>({ label, settings: given, work, onDone, onClose }: Props<T>) {
  const [settings, setSettings] = useState(given)
  const { url, types, retry, assetTypes, locations, includesInside } = settings
  const change = (part: Partial<Settings>) => setSettings((before) => ({ ...before, ...part }))
  const send = useSend(() => work(settings), {
    check: () => ({
      url: httpsUrl(url),
      event_types: types.length === 0 ? 'Choose an event.' : undefined,
    }),
    reload: [['webhooks']],
    onDone,
  })
  return (
    <SendForm send={send} label={label} onCancel={onClose} shownFields={['url', 'event_types']}>
      <TextInput
        label="URL"
        description="HTTPS, reachable from the internet"
        placeholder="https://example.com/whereabouts"
        type="url"
        {...send.entry('url', url, (text) => change({ url: text }))}
        required
        data-autofocus
      />
      <Checkbox.Group
        label="Events"
        value={[...types]}
        onChange={(next) => change({ types: next })}
        error={send.fields['event_types']}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt={6}>
          {[...new Set([...SENT_TYPES, ...given.types])].map((type) => (
            <Checkbox key={type} value={type} label={eventText(type)} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <Radio.Group
        label="If your receiver does not answer"
        value={retry}
        onChange={(next) => change({ retry: next })}
      >
        <Stack mt={6} gap="xs">
          <Radio
            value="standard"
            label="Three attempts"
            description="Within about 7 seconds. Then the event is not sent any more."
          />
          <Radio
            value="extended"
            label="Attempts for 72 hours"
            description="Events of one thing arrive in order. After five days without a success the webhook is switched off."
          />
        </Stack>
      </Radio.Group>
      <Checkbox.Group
        label="Only assets of a type"
        description="Without a choice: of any type"
        value={[...assetTypes]}
        onChange={(next) => change({ assetTypes: next })}
      >
        <Group gap="md" mt={6}>
          {[...new Set([...ASSET_TYPES, ...given.assetTypes])].map((type) => (
            <Checkbox key={type} value={type} label={assetTypeOf(type).plural} />
          ))}
        </Group>
      </Checkbox.Group>
      <PickedMany picked={locations} onChange={(next) => change({ locations: next })}>
        {(pick) => (
          <LocationPicker
            label="Only these locations"
            description="Without a choice: any location. A movement counts if it starts or ends there."
            value={null}
            onChange={pick}
            error={send.fields['filter.location_ids']}
          />
        )}
      </PickedMany>
      {locations.length > 0 && (
        <Switch
          label="Include sub-locations"
          checked={includesInside}
          onChange={(event) => change({ includesInside: event.currentTarget.checked })}
        />
      )}
    </SendForm>
  )
}
