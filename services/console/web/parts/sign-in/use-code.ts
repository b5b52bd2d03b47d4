import { ApiError } from '@whereabouts/client/client'
import { useState } from 'react'
import { type Checks, filled } from '../form/checks.ts'
import { SaidError } from '../load/failure.ts'

export const WRONG_CODE = 'This code is wrong, or was used before. Enter the one that the app shows now.'

/** The one-time code of a form that opens a session. The API asks for it after a right password. */
export function useCode() {
  const [code, setCode] = useState<string>()
  const checks: Checks = code === undefined ? {} : { code: filled(code, 'Enter a code.') }

  /** Sends the code with the rest of the form. Resolves with false if it is missing: then its field appears. */
  const open = async (work: (sent: { code?: string }) => Promise<void>): Promise<boolean> => {
    try {
      await work(code === undefined ? {} : { code })
      return true
    } catch (error) {
      if (!(error instanceof ApiError && error.error?.second_factor)) throw error
      setCode('') // a code that was refused is not right later
      if (code === undefined) return false
      throw new SaidError({ title: WRONG_CODE }, { code: WRONG_CODE })
    }
  }

  /** `code` is undefined until it is asked for. */
  return { code, setCode, checks, open }
}
