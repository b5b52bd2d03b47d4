import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

type Props = { label: string; placeholder: string; value: string; onChange: (value: string) => void }

const TYPING_MS = 250

/** Debounced search input: a key stroke neither calls the API nor renders the list again. */
export function SearchBox({ label, placeholder, value, onChange }: Props) {
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
      type="search"
      label={label}
      placeholder={placeholder}
      value={typed}
      maxLength={255}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        search(event.currentTarget.value)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') search.flush()
      }}
      style={{ flex: '1 1 240px' }}
    />
  )
}
