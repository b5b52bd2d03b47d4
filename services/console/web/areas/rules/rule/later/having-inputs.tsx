import { Button, Fieldset, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { type Having, isValueType, MOST_HAVING, VALUE_TYPES } from '../../words/having.ts'

type Props = {
  having: readonly Having[]
  onChange: (having: readonly Having[]) => void
  error: string | undefined
}

const TYPES = Object.entries(VALUE_TYPES).map(([value, label]) => ({ value, label }))
/** Of the API, in characters. */
const LONGEST = 1_024

/** Metadata that an asset must have. */
export default function HavingInputs({ having, onChange, error }: Props) {
  const change = (at: number, changed: Partial<Having>) =>
    onChange(having.map((each, i) => (i === at ? { ...each, ...changed } : each)))
  return (
    <Fieldset legend="Only assets with this metadata">
      <Stack gap="xs">
        {having.map(({ name, type, value }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- the index identifies a row; its name changes by typing
          <Group key={at} gap="xs" align="flex-start">
            <TextInput
              aria-label={`Name of condition ${at + 1}`}
              placeholder="Name, such as kind"
              maxLength={LONGEST}
              value={name}
              onChange={({ currentTarget }) => change(at, { name: currentTarget.value })}
              flex="1 1 120px"
            />
            <NativeSelect
              aria-label={`Type of condition ${at + 1}`}
              data={TYPES}
              value={type}
              onChange={({ currentTarget: { value: next } }) =>
                isValueType(next) && change(at, { type: next, value: next === 'boolean' ? 'true' : '' })
              }
              flex="0 1 130px"
            />
            {type === 'boolean' ? (
              <NativeSelect
                aria-label={`Value of condition ${at + 1}`}
                data={['true', 'false']}
                value={value}
                onChange={({ currentTarget }) => change(at, { value: currentTarget.value })}
                flex="1 1 120px"
              />
            ) : (
              <TextInput
                aria-label={`Value of condition ${at + 1}`}
                placeholder="Value, such as pallet"
                inputMode={type === 'number' ? 'decimal' : undefined}
                maxLength={LONGEST}
                value={value}
                onChange={({ currentTarget }) => change(at, { value: currentTarget.value })}
                flex="1 1 120px"
              />
            )}
            <Button
              variant="default"
              aria-label={`Remove condition ${at + 1}`}
              onClick={() => onChange(having.filter((_, i) => i !== at))}
            >
              Remove
            </Button>
          </Group>
        ))}
        {error !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        )}
        {having.length < MOST_HAVING && (
          <Group>
            <Button
              variant="default"
              size="xs"
              onClick={() => onChange([...having, { name: '', type: 'text', value: '' }])}
            >
              Add condition
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  )
}
