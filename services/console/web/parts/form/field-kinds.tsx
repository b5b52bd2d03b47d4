import { Autocomplete, Code, NativeSelect, Select, Switch, Text, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { atMost, externalKey } from './checks.ts'
import { fromLocalInput, toLocalInput } from '../time/local-time.ts'
import { LocationPicker, type PickedLocation } from '../locations/location-picker.tsx'
import { Metadata } from '../things/metadata.tsx'
import { When } from '../time/when.tsx'

type InputProps<Typed> = {
  label: string
  description?: string
  required?: boolean
  error?: string
  value: Typed
  onChange: (value: Typed) => void
  /** The id of the edited resource; undefined for a new one. */
  'data-resource'?: number
  /** Gets the focus when the form opens in a modal. */
  'data-autofocus'?: boolean
}

/**
 * How values of one kind are typed, sent, shown and imported. `Value` is the type of the API, `Typed` that of the
 * input. A list of fields needs neither.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a list has kinds of several types
export type Kind<Value, Typed = any> = {
  empty: Typed
  toTyped: (value: Value) => Typed
  /** Called only if there is no problem. */
  toValue: (typed: Typed) => Value
  /** A problem that is shown before anything is sent; the API checks the rest. */
  problemOf?: (typed: Typed) => string | undefined
  Input: (props: InputProps<Typed>) => ReactNode
  Shown: (props: { value: Value }) => ReactNode
  importHelp: string
}

type TextProps = InputProps<string>

/** White space around it is dropped: the API refuses it. */
export const text: Kind<string, string> = {
  empty: '',
  toTyped: (value) => value,
  toValue: (typed) => typed.trim(),
  problemOf: (typed) => atMost(typed.trim(), 255),
  Input: ({ onChange, ...props }: TextProps) => (
    <TextInput {...props} onChange={(event) => onChange(event.currentTarget.value)} autoComplete="off" />
  ),
  Shown: ({ value }) => value,
  importHelp: 'Text.',
}

/** An identifier: shown in a fixed-width font. */
export const key: Kind<string, string> = {
  ...text,
  problemOf: (typed) => externalKey(typed.trim()),
  Input: ({ onChange, ...props }: TextProps) => (
    <TextInput {...props} onChange={(event) => onChange(event.currentTarget.value)} spellCheck={false} />
  ),
  Shown: ({ value }) => (
    <Text size="sm" ff="monospace">
      {value}
    </Text>
  ),
}

/** One line or several; empty is null. */
export const longText: Kind<string | null, string> = {
  empty: '',
  toTyped: (value) => value ?? '',
  toValue: (typed) => (typed === '' ? null : typed),
  problemOf: (typed) => atMost(typed, 1_024),
  Input: ({ onChange, ...props }: TextProps) => (
    <Textarea
      {...props}
      onChange={(event) => onChange(event.currentTarget.value)}
      autosize
      minRows={2}
      maxRows={6}
    />
  ),
  Shown: ({ value }) => (
    <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
      {value ?? '–'}
    </Text>
  ),
  importHelp: 'Text. An empty cell clears it.',
}

/** One of fixed values. The first is the default of the API. */
export const choice = (options: readonly { value: string; label: string }[]): Kind<string, string> => ({
  ...text,
  empty: options[0]?.value ?? '',
  Input: ({ onChange, ...props }: TextProps) => (
    <NativeSelect {...props} data={[...options]} onChange={(event) => onChange(event.currentTarget.value)} />
  ),
  Shown: ({ value }) => options.find((option) => option.value === value)?.label ?? value,
  importHelp: `One of ${options.map(({ value }) => value).join(', ')}.`,
})

/** Like `choice`, for long lists: the labels wrap and open in a popup. */
export const longChoice = (options: readonly { value: string; label: string }[]): Kind<string, string> => ({
  ...choice(options),
  Input: ({ onChange, ...props }: TextProps) => (
    <Select
      {...props}
      data={options}
      onChange={(value) => onChange(value ?? props.value)}
      allowDeselect={false}
    />
  ),
})

const ZONES = Intl.supportedValuesOf('timeZone')

/** A name such as Asia/Singapore or an offset such as +08:00; empty is null. */
export const timeZone: Kind<string | null, string> = {
  empty: '',
  toTyped: (value) => value ?? '',
  toValue: (typed) => (typed === '' ? null : typed),
  Input: (props: TextProps) => <Autocomplete {...props} data={ZONES} limit={20} />,
  Shown: ({ value }) => value ?? '–',
  importHelp: 'A time zone such as Asia/Singapore. An empty cell clears it.',
}

/** True unless switched off, as in the API. */
export const flag: Kind<boolean, boolean> = {
  empty: true,
  toTyped: (value) => value,
  toValue: (typed) => typed,
  Input: ({ value, onChange, ...props }: InputProps<boolean>) => (
    <Switch {...props} checked={value} onChange={(event) => onChange(event.currentTarget.checked)} mt={26} />
  ),
  Shown: ({ value }) => (value ? 'Yes' : 'No'),
  importHelp: 'true or false.',
}

/** `datetime-local` inputs hold minutes. An untouched value is not sent, so that its seconds stay. */
const instantInput = ({ onChange, ...props }: TextProps) => (
  <TextInput type="datetime-local" {...props} onChange={(event) => onChange(event.currentTarget.value)} />
)

export const instant: Kind<string, string> = {
  empty: '',
  toTyped: toLocalInput,
  toValue: (typed) => fromLocalInput(typed) ?? '',
  problemOf: (typed) => (fromLocalInput(typed) === null ? 'Enter a date and time.' : undefined),
  Input: instantInput,
  Shown: ({ value }) => <When at={value} as="day" />,
  importHelp: 'A time such as 2026-11-21T10:00:00Z.',
}

/** An instant that may be absent; empty is null. */
export const end: Kind<string | null, string> = {
  empty: '',
  toTyped: toLocalInput,
  toValue: fromLocalInput,
  Input: instantInput,
  Shown: ({ value }) => (value === null ? 'No end' : <When at={value} as="day" />),
  importHelp: 'A time such as 2026-11-21T10:00:00Z. An empty cell means no end.',
}

const jsonProblem = (typed: string): string | undefined => {
  const result = parseObject(typed)
  return typeof result === 'string' ? result : undefined
}

const jsonInput = ({ onChange, ...props }: TextProps) => (
  <Textarea
    {...props}
    onChange={(event) => onChange(event.currentTarget.value)}
    styles={{ input: { fontFamily: 'monospace' } }}
    spellCheck={false}
    autosize
    minRows={2}
    maxRows={16}
  />
)

/** Empty is an object without fields. */
const jsonObject: Kind<Record<string, unknown>, string> = {
  empty: '',
  toTyped: (value) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2)),
  toValue: (typed) => parseObject(typed) as Record<string, unknown>,
  problemOf: jsonProblem,
  Input: jsonInput,
  Shown: ({ value }) =>
    Object.keys(value).length === 0 ? (
      '–'
    ) : (
      <Code block tabIndex={0}>
        {JSON.stringify(value, null, 2)}
      </Code>
    ),
  importHelp: 'A JSON object.',
}

/** An object of the customer, shown as labels and values. */
export const metadata: Kind<Record<string, unknown>, string> = {
  ...jsonObject,
  Shown: ({ value }) => <Metadata value={value} />,
}

/** A JSON object that may be absent; empty is null. The API checks its content. */
export const optionalJson = <Value extends object>(): Kind<Value | null, string> => ({
  ...jsonObject,
  toTyped: (value) => (value ? JSON.stringify(value, null, 2) : ''),
  toValue: (typed) => (typed.trim() === '' ? null : (parseObject(typed) as Value)),
  Shown: ({ value }) => jsonObject.Shown({ value: Object.fromEntries(Object.entries(value ?? {})) }),
})

/** A location by id. The input needs its name too, so the form passes what it knows as initial value. */
export const locationId: Kind<number | null, PickedLocation | null> = {
  empty: null,
  toTyped: () => null,
  toValue: (typed) => typed?.id ?? null,
  Input: (props: InputProps<PickedLocation | null>) => (
    <LocationPicker {...props} exclude={props['data-resource']} />
  ),
  Shown: ({ value }) => value ?? '–',
  importHelp: 'The key of a location. An empty cell clears it.',
}

/** Returns the problem as text if `typed` is not a JSON object. */
function parseObject(typed: string): Record<string, unknown> | string {
  if (typed.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(typed)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject
      ? (value as Record<string, unknown>)
      : 'Enter a JSON object, for example {"maker": "Linde"}'
  } catch (error) {
    return `Not valid JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}
