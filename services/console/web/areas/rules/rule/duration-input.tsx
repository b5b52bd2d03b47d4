import { Group, Input, NativeSelect } from '@mantine/core'
import { WholeNumber } from '../../../parts/form/whole-number.tsx'
import { type Duration, isUnit, unitsWith } from '../words/durations.ts'

type Props = {
  label: string
  value: Duration
  onChange: (duration: Duration) => void
  error: string | undefined
}

/** A length of time: a number and its unit. */
export const DurationInput = ({ label, value: { amount, unit }, onChange, error }: Props) => (
  <Input.Wrapper label={label} labelElement="div" error={error}>
    <Group gap="xs" wrap="nowrap" mb={error === undefined ? 0 : 5}>
      <WholeNumber
        aria-label={label}
        w={90}
        value={amount}
        onChange={(digits) => onChange({ amount: digits, unit })}
        error={error !== undefined}
      />
      <NativeSelect
        aria-label={`Unit of ${label}`}
        flex={1}
        data={[...unitsWith(unit)]}
        value={unit}
        onChange={({ currentTarget: { value } }) => isUnit(value) && onChange({ amount, unit: value })}
      />
    </Group>
  </Input.Wrapper>
)
