import { type RefObject, useEffect } from 'react'

/**
 * Sends a scan to the field if the focus is on a button, a link or nothing: otherwise its characters would be lost, and
 * its Enter would press the button.
 */
export function useScansAnywhere(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const redirect = (event: KeyboardEvent) => {
      const isCharacter = event.key.length === 1 && event.key !== ' '
      if (!isCharacter || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (event.target instanceof Element && event.target.closest(TAKES_TEXT)) return
      field.current?.focus() // the browser types into the field that has the focus after this event
    }
    document.addEventListener('keydown', redirect)
    return () => document.removeEventListener('keydown', redirect)
  }, [field])
}

const TAKES_TEXT = 'input, textarea, select, [contenteditable], [role=dialog], [role=listbox], [role=menu]'
