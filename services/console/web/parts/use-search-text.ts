import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'

const SETTLED_MS = 250

/** What is being typed into a search: shown at once, told when the person pauses. */
export function useSearchText(
  initial: string,
  onSettled: (text: string) => void,
): [string, (text: string) => void] {
  const [typed, setTyped] = useState(initial)
  const settle = useDebouncedCallback(onSettled, SETTLED_MS)
  return [
    typed,
    (text) => {
      setTyped(text)
      settle(text)
    },
  ]
}
