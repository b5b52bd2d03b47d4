import { Button, Checkbox, Fieldset, Group, Stack, Switch, Text } from '@mantine/core'
import { Card } from '../../../parts/page/card.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { TAG_TYPE_CHOICES, tagTypeOf } from '../../../parts/things/tag-types.ts'
import { useSend } from '../../../parts/form/use-send.ts'
import { WholeNumber } from '../../../parts/form/whole-number.tsx'
import { useSession } from '../../../session/use-session.ts'
import { sayDone } from '../account/say-done.ts'
import { changesOf, checksOf, type Draft, withSettings } from './draft.ts'
import { DEFAULTS, PRESETS } from '../../../parts/placement/presets.ts'
import { type Placement, savePlacement } from '../../../parts/placement/use-placement.ts'

type Props = {
  placement: Placement
  draft: Draft
  onChange: (changed: Partial<Draft>) => void
  onSaved: () => void
}

/** The settings of positions. Members see them, administrators change them. */
export function PlacementForm({ placement, draft, onChange, onSaved }: Props) {
  const { org, isAdmin } = useSession()
  const send = useSend(() => savePlacement(org.id, changesOf(placement, draft)), {
    check: () => checksOf(draft),
    reload: [['placement'], ['unsteady']],
    onDone: () => {
      onSaved()
      sayDone('Saved. It counts for reads from now on.')
    },
  })
  const isChanged = Object.keys(changesOf(placement, draft)).length > 0
  return (
    <Card title="Settings">
      {isAdmin ? (
        <Presets onUse={(settings) => onChange(withSettings(draft, settings))} />
      ) : (
        <Text size="sm" c="dimmed">
          Only administrators can change these settings.
        </Text>
      )}
      {isAdmin ? (
        <SendForm send={send} label="Save" isDisabled={!isChanged} shownFields={FIELDS}>
          <Inputs draft={draft} errors={send.fields} onChange={onChange} />
        </SendForm>
      ) : (
        <Stack gap="sm">
          <Inputs draft={draft} errors={{}} isDisabled onChange={onChange} />
        </Stack>
      )}
    </Card>
  )
}

const FIELDS = ['passages', 'tag_types', 'margin_db', 'exit_delay_seconds', 'min_rssi_dbm']

/** Fill in the form for one way in which readers stand. Nothing is saved by it. */
const Presets = ({ onUse }: { onUse: (settings: Partial<Placement>) => void }) => (
  <Fieldset legend="How do your readers stand?">
    <Stack gap="sm">
      {PRESETS.map(({ name, label, meaning, settings }) => {
        const isNothing = Object.keys(settings).length === 0
        return (
          <Group key={name} justify="space-between" gap="xs">
            <div style={{ flex: '1 1 240px' }}>
              <Text size="sm" fw={500}>
                {isNothing ? `${label} only` : label}
              </Text>
              <Text size="sm" c="dimmed">
                {meaning}
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              onClick={() => onUse(isNothing ? DEFAULTS : settings)}
              aria-label={`Fill in for ${isNothing ? `${label} only` : label}`}
            >
              Fill in
            </Button>
          </Group>
        )
      })}
    </Stack>
  </Fieldset>
)

type InputProps = {
  draft: Draft
  errors: Readonly<Record<string, string>>
  isDisabled?: boolean
  onChange: Props['onChange']
}

const Inputs = ({ draft, errors, isDisabled = false, onChange }: InputProps) => (
  <>
    <Switch
      label="Carry passages"
      description="The last place of a minute becomes the first one of the next minute. Otherwise it waits for the next observation."
      checked={draft.carries}
      onChange={(event) => onChange({ carries: event.currentTarget.checked })}
      error={errors['passages']}
      disabled={isDisabled}
    />
    <WholeNumber
      label="Margin, in dB"
      description="How much stronger another place must be, in two reads in a row, before an asset moves there (0 to 40)."
      value={draft.margin}
      onChange={(margin) => onChange({ margin })}
      error={errors['margin_db']}
      disabled={isDisabled}
    />
    <WholeNumber
      label="Delay, in seconds"
      description="How long the strength of a place counts after its last read: longer than your beacons are silent, and at least 60."
      value={draft.delay}
      onChange={(delay) => onChange({ delay })}
      error={errors['exit_delay_seconds']}
      disabled={isDisabled}
    />
    <WholeNumber
      label="Minimum strength, in dBm"
      description="Weaker reads of the tags below do not count. Empty: all reads count. Scan points can have their own."
      isSigned
      value={draft.minimum}
      onChange={(minimum) => onChange({ minimum })}
      error={errors['min_rssi_dbm']}
      disabled={isDisabled}
    />
    <Checkbox.Group
      label="Tags judged by strength"
      description="By margin, delay and minimum. Reads of other tags move an asset at once."
      value={[...draft.tagTypes]}
      onChange={(values) => onChange({ tagTypes: values.flatMap((value) => tagTypeOf(value) ?? []) })}
      error={errors['tag_types']}
    >
      <Group mt={6} gap="lg">
        {TAG_TYPE_CHOICES.map(({ value, label }) => (
          <Checkbox key={value} value={value} label={label} disabled={isDisabled} />
        ))}
      </Group>
    </Checkbox.Group>
  </>
)
