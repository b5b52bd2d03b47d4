import { TextInput, type TextInputProps } from '@mantine/core'

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: number | string
  onChange: (digits: string) => void
}

/** A number without sign and decimals. The one of Mantine is a fifth of what a screen may weigh. */
export const WholeNumber = ({ value, onChange, ...input }: Props) => (
  <TextInput
    {...input}
    inputMode="numeric"
    autoComplete="off"
    value={String(value)}
    onChange={(event) => onChange(event.currentTarget.value.replaceAll(/\D/g, ''))}
  />
)
