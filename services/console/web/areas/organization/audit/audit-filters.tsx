import { Button, Group, NativeSelect, Select, TextInput } from '@mantine/core'
import { thingText, THING_CHOICES } from '../../../parts/audit/later/audit-text.ts'
import { DEFAULTS, type Filter } from './audit-filter.ts'
import { useActors } from './use-actors.ts'

type Props = { filter: Filter; onChange: (change: Partial<Filter>) => void }

export function AuditFilters({ filter, onChange }: Props) {
  const actors = useActors()
  const set = (change: Partial<Filter>) => onChange({ ...change, offset: DEFAULTS.offset })
  return (
    <Group align="flex-end">
      <Select
        label="Who"
        placeholder="Everybody"
        data={actors}
        value={filter.actor === '' ? null : filter.actor}
        onChange={(actor) => set({ actor: actor ?? '' })}
        searchable
        clearable
        nothingFoundMessage="No such person or key"
        w={260}
      />
      <NativeSelect
        label="What"
        data={THING_CHOICES}
        value={filter.type}
        onChange={(event) => set({ type: event.currentTarget.value, thing: '' })}
      />
      <TextInput
        label="From"
        type="datetime-local"
        value={filter.from}
        onChange={(event) => set({ from: event.currentTarget.value })}
      />
      <TextInput
        label="To"
        type="datetime-local"
        value={filter.to}
        onChange={(event) => set({ to: event.currentTarget.value })}
      />
      <Button
        variant="default"
        aria-pressed={filter.action === FAILED}
        onClick={() => set({ action: filter.action === FAILED ? '' : FAILED, type: '', thing: '' })}
      >
        Failed sign-ins
      </Button>
      {filter.thing !== '' && (
        <Button variant="light" onClick={() => set({ thing: '' })}>
          Only {thingText(filter.type)} {filter.thing}: show all again
        </Button>
      )}
    </Group>
  )
}

const FAILED = 'session.fail'
