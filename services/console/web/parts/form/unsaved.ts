import { createContext } from 'react'

/** Around a form: whether something was typed that leaving would lose. */
export type Unsaved = {
  setUnsaved: (isUnsaved: boolean) => void
  /** Closes the form; asks first if something would be lost. */
  requestClose: () => void
}

export const UnsavedContext = createContext<Unsaved | undefined>(undefined)
