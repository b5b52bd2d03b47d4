import type { ReactNode } from 'react'

type Props = { label: string; maxHeight?: number; children: ReactNode }

/** A wide table scrolls in here, also by keyboard, so that the page never scrolls sideways. */
export function ScrollRegion({ label, maxHeight, children }: Props) {
  const keyboard = { tabIndex: 0 } // keyboard users must be able to focus it to scroll
  return (
    <div className="scrolls" role="region" aria-label={label} {...keyboard} style={{ maxHeight }}>
      {children}
    </div>
  )
}
