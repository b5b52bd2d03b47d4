import type { ReactNode } from 'react'

type Props = { label: string; maxHeight?: number; children: ReactNode }

/** Around a wide table: it scrolls by itself, by the keyboard too, and the page never sideways. */
export function Scrolls({ label, maxHeight, children }: Props) {
  const keyboard = { tabIndex: 0 } // what scrolls has to be reachable
  return (
    <div className="scrolls" role="region" aria-label={label} {...keyboard} style={{ maxHeight }}>
      {children}
    </div>
  )
}
