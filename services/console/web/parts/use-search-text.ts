import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'

const DEBOUNCE_MS = 250

/** Text of a search input. Calls `onSettled` when the person pauses typing. */
export function useSearchText(
  initial: string,
  onSettled: (text: string) => void,
): [string, (text: string) => void] {
  const [typed, setTyped] = useState(initial)
  const settle = useDebouncedCallback(onSettled, DEBOUNCE_MS)
  return [
    typed,
    (text) => {
      setTyped(text)
      settle(text)
    },
  ]
}
