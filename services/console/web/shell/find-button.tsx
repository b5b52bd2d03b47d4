import { UnstyledButton } from '@mantine/core'
import IconSearch from '@tabler/icons-react/icons/IconSearch'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { Icon } from '../parts/page/icon.tsx'
import { keptKeys } from './kept-keys.ts'

const loadFinder = () => import('../areas/finder/finder.tsx')
const Finder = lazy(loadFinder)

const KEYS = /Mac|iPhone|iPad/u.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K'

/** Opens the finder, as Ctrl-K does. `/` moves to the search of the list on the screen. */
export function FindButton() {
  const [isOpen, setOpen] = useState(false)
  const [kept] = useState(() => keptKeys(document, () => setOpen(false)))
  const open = useCallback(() => {
    kept.start()
    setOpen(true)
  }, [kept])
  useEffect(() => whenIdle(() => loadFinder().catch(() => undefined)), []) // retried when it opens
  useEffect(() => () => void kept.take(), [kept])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || isDialogOpen()) return
      if (isFindKey(event)) open()
      else if (!isListKey(event) || !focusListSearch()) return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [open])
  return (
    <>
      <UnstyledButton className="find" onClick={open} aria-keyshortcuts="Control+K Meta+K">
        <Icon of={IconSearch} size={16} />
        <span className="find-text" data-keys={KEYS}>
          Find anything
        </span>
      </UnstyledButton>
      {isOpen && (
        <Suspense>
          <Finder takeTyped={kept.take} onClosed={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

const IDLE_AFTER_MS = 200

/** Once the browser has nothing else to do. Safari does not tell when. */
function whenIdle(work: () => void): () => void {
  if ('requestIdleCallback' in window) {
    const waiting = window.requestIdleCallback(work)
    return () => window.cancelIdleCallback(waiting)
  }
  const waiting = setTimeout(work, IDLE_AFTER_MS)
  return () => clearTimeout(waiting)
}

/** The finder would lead away from what is typed there. */
const isDialogOpen = () => document.querySelector('[role=dialog]') !== null

const isFindKey = ({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent) =>
  key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !shiftKey

const TAKES_TEXT = 'input, textarea, select, [contenteditable], [role=menu], [role=listbox]'

/** With Shift, too: some keyboards need it for the slash. */
const isListKey = ({ key, ctrlKey, metaKey, target }: KeyboardEvent) =>
  key === '/' && !ctrlKey && !metaKey && !(target instanceof Element && target.closest(TAKES_TEXT))

function focusListSearch(): boolean {
  const search = document.querySelector<HTMLInputElement>('#screen input[type=search]')
  search?.focus()
  search?.select()
  return search !== null
}
