export type KeptKeys = {
  /** From now on keys are kept instead of typed. */
  start: () => void
  /** Ends that. What was typed, and whether Enter ended it, as a scanner does. */
  take: () => { text: string; isEntered: boolean }
}

/**
 * Keeps what is typed on the page until the field for it is there: a scanner types 24 letters in a quarter of a second,
 * and the script of the field may still be on its way. `onEscape`: the person no longer wants it.
 */
export function keptKeys(page: Document, onEscape: () => void): KeptKeys {
  let text = ''
  let isEntered = false
  const keep = (event: KeyboardEvent) => {
    const { key } = event
    if (event.isComposing || isShortcut(event) || !isText(key)) return
    event.preventDefault()
    event.stopPropagation()
    if (key === 'Escape') {
      take()
      onEscape()
    } else if (isEntered) return
    else if (key === 'Enter') isEntered = true
    else if (key === 'Backspace') text = text.slice(0, -1)
    else if (key !== 'Tab') text += key
  }
  const take = () => {
    page.removeEventListener('keydown', keep, { capture: true })
    const kept = { text, isEntered }
    text = ''
    isEntered = false
    return kept
  }
  return { start: () => page.addEventListener('keydown', keep, { capture: true }), take }
}

/** With AltGr, which some systems report as Ctrl and Alt, a key is a character. */
const isShortcut = (event: KeyboardEvent) =>
  (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph')

const isText = (key: string) => key.length === 1 || ['Enter', 'Backspace', 'Tab', 'Escape'].includes(key)
