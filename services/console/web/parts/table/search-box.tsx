import { TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import IconSearch from '@tabler/icons-react/icons/IconSearch'
import { Icon } from '../page/icon.tsx'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'type'> & {
  value: string
  /** Called when the person pauses typing or presses Enter. */
  onChange: (value: string) => void
  /** Removes what the input does not accept. */
  clean?: (typed: string) => string
}

const TYPING_MS = 250

/** Debounced search input: a key stroke neither calls the API nor renders the list again. */
export function SearchBox({ value, onChange, clean = (typed) => typed, ...input }: Props) {
  const [typed, setTyped] = useState(value)
  const sent = useRef(value)
  const search = useDebouncedCallback((text: string) => {
    sent.current = text
    onChange(text)
  }, TYPING_MS)
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value // changed elsewhere: by the back button or a link
    setTyped(value)
  }, [value])
  return (
    <TextInput
      maxLength={255}
      leftSection={<Icon of={IconSearch} size={16} />}
      {...input}
      type="search"
      value={typed}
      onChange={(event) => {
        const text = clean(event.currentTarget.value)
        setTyped(text)
        search(text)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') search.flush()
      }}
    />
  )
}
