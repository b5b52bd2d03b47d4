import { TextInput, type TextInputProps } from '@mantine/core'

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: number | string
  onChange: (digits: string) => void
  /** It may be negative. */
  isSigned?: boolean
}

/** A number without decimals. The one of Mantine is a fifth of what a screen may weigh. */
export const WholeNumber = ({ value, onChange, isSigned = false, ...input }: Props) => (
  <TextInput
    {...input}
    inputMode={isSigned ? 'text' : 'numeric'} // numeric keyboards of phones lack the minus
    autoComplete="off"
    value={String(value)}
    onChange={(event) => onChange(digitsOf(event.currentTarget.value, isSigned))}
  />
)

/** What was typed, without anything that is not part of a whole number. A sign may be typed, or pasted, as a minus. */
export function digitsOf(typed: string, isSigned: boolean): string {
  const digits = typed.replaceAll(/\D/g, '')
  return isSigned && /^\s*[-−–]/.test(typed) ? `-${digits}` : digits
}
