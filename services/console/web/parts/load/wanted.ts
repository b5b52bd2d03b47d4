import { useEffect } from 'react'

/** A dialog of a screen, which the finder opens from anywhere. */
export type Dialog = 'new-asset' | 'new-location' | 'add-reader' | 'new-key' | 'invite'

let wanted: Dialog | undefined
const listeners = new Set<() => void>()

/** The screen opens the dialog, now or when it is loaded. */
export function want(dialog: Dialog | undefined): void {
  wanted = dialog
  for (const listener of listeners) listener()
}

/** For the screen: `open` is called when its dialog is wanted. */
export function useWanted(dialog: Dialog, open: () => unknown): void {
  useEffect(() => {
    const take = () => {
      if (wanted !== dialog) return
      wanted = undefined
      open()
    }
    take()
    listeners.add(take)
    return () => {
      listeners.delete(take)
    }
  })
}
