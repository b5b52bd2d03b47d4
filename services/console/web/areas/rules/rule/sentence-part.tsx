import { Checkbox, Group, NativeSelect, Switch, TextInput } from '@mantine/core'
import { PickedMany } from './picked-many.tsx'
import { LocationPicker } from '../../../parts/locations/location-picker.tsx'
import { DurationInput } from './duration-input.tsx'
import { isOfMoves, needsPlaces, NEW_RULE } from './draft.ts'
import { type PartProps, SubjectChoice, SubjectDetails } from './subject-part.tsx'

/** What happens to an asset, in the order in which people look for it. */
const HAPPENS = {
  stayed_longer_than: 'stays in a location too long',
  entered: 'enters a location',
  left: 'leaves a location',
  missing_at: 'is not in a location at a time',
  away_from_home: 'is away from its home',
  not_seen_for: 'is not seen',
}
const SILENT = { reader_silent: 'is silent' }

/** Subject, verb, place and times of a rule. */
export function SentencePart(props: PartProps) {
  const { draft, onChange } = props
  const isReader = draft.kind === 'reader_silent'
  const known: Record<string, string> = isReader ? SILENT : HAPPENS
  const kinds = Object.hasOwn(known, draft.kind) ? known : { ...known, [draft.kind]: draft.kind }
  return (
    <>
      <Group gap="sm" align="flex-end">
        <SubjectChoice draft={draft} onChange={onChange} />
        <NativeSelect
          label="What happens"
          flex="1 1 220px"
          data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
          value={draft.kind}
          onChange={({ currentTarget: { value } }) =>
            onChange({ kind: value, seconds: draft.seconds ?? NEW_RULE.seconds })
          }
          disabled={isReader}
        />
      </Group>
      <SubjectDetails {...props} />
      {!isReader && <Places {...props} />}
      <Times {...props} />
    </>
  )
}

const Places = ({ draft: { kind, locations, includesInside }, onChange, problem }: PartProps) => (
  <>
    <PickedMany picked={locations} onChange={(next) => onChange({ locations: next })}>
      {(pick) => (
        <LocationPicker
          label={needsPlaces(kind) ? 'Location' : 'Only in'}
          description={needsPlaces(kind) ? undefined : 'Without a choice: anywhere'}
          isRequired={needsPlaces(kind)}
          value={null}
          onChange={pick}
          error={problem('scope.location_ids')}
        />
      )}
    </PickedMany>
    {locations.length > 0 && (
      <Switch
        label="Include sub-locations"
        description="What is in a sub-location counts as in the location."
        checked={includesInside}
        onChange={({ currentTarget }) => onChange({ includesInside: currentTarget.checked })}
      />
    )}
  </>
)

function Times({ draft, onChange, problem }: PartProps) {
  const { kind, seconds, time, resolves } = draft
  if (kind === 'missing_at')
    return (
      <TextInput
        type="time"
        label="At"
        maw={160}
        required
        value={time}
        onChange={({ currentTarget }) => onChange({ time: currentTarget.value })}
        error={problem('params.time')}
      />
    )
  if (isOfMoves(kind))
    return (
      <Optional
        label="Resolve the alert after a time"
        description={`Otherwise it is open until the asset ${kind === 'entered' ? 'leaves' : 'comes back'}.`}
        inputLabel="Resolve after"
        value={resolves}
        onChange={(next) => onChange({ resolves: next })}
        error={problem('params.resolve_after_seconds')}
      />
    )
  if (kind === 'reader_silent')
    return (
      <Optional
        label="Set how long a reader may be silent"
        description="Otherwise a reader is silent when its pause is longer than usual for it."
        inputLabel="Silent for"
        value={seconds}
        onChange={(next) => onChange({ seconds: next })}
        error={problem('params.seconds')}
      />
    )
  return (
    (kind === 'stayed_longer_than' || kind === 'not_seen_for') &&
    seconds && (
      <DurationInput
        label={kind === 'not_seen_for' ? 'For' : 'Longer than'}
        value={seconds}
        onChange={(next) => onChange({ seconds: next })}
        error={problem('params.seconds')}
      />
    )
  )
}

type OptionalProps = {
  label: string
  description: string
  inputLabel: string
  value: Parameters<typeof DurationInput>[0]['value'] | null
  onChange: (value: OptionalProps['value']) => void
  error: string | undefined
}

/** A time that a rule need not have. */
export const Optional = ({ label, description, inputLabel, value, onChange, error }: OptionalProps) => (
  <>
    <Checkbox
      label={label}
      description={description}
      checked={value !== null}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.checked ? { amount: '10', unit: 'minutes' } : null)
      }
    />
    {value && <DurationInput label={inputLabel} value={value} onChange={onChange} error={error} />}
  </>
)
