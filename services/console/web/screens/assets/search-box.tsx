import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

type Props = { label: string; placeholder: string; value: string; onChange: (value: string) => void }

const TYPING_MS = 250

/** What is typed stays in here until the person pauses: a key stroke neither asks the API nor draws the list anew. */
export function SearchBox({ label, placeholder, value, onChange }: Props) {
  const [typed, setTyped] = useState(value)
  const sent = useRef(value)
  const tell = useDebouncedCallback((text: string) => {
    sent.current = text
    onChange(text)
  }, TYPING_MS)
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value // changed elsewhere: by the way back, or by a link
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
        tell(event.currentTarget.value)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') tell.flush()
      }}
      style={{ flex: '1 1 240px' }}
    />
  )
}
