import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { scanTyping } from './scan-typing.ts'

type Props = { onScan: (value: string) => void; children: ReactNode }

/** Takes a scan out of a field that is for other text. Typing, Enter and Tab of a person work as usual. */
export function ScansIn({ onScan, children }: Props) {
  const [next] = useState(scanTyping)
  const take = (event: KeyboardEvent) => {
    const value = next(event)
    if (value === undefined) return
    event.preventDefault()
    event.stopPropagation() // Enter would pick the marked option
    onScan(value)
  }
  return <div onKeyDownCapture={take}>{children}</div>
}
