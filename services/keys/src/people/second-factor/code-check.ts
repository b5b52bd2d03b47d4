import type { Attempts } from '../../attempts/attempts.ts'
import type { Db, UserRow } from '../../db.ts'
import { secondFactorRequired } from '../../errors.ts'
import { auditFailure } from '../users/user-audit.ts'
import { isOneTime, type SecondFactors } from './second-factors.ts'

export type CodeDeps = { db: Db; attempts: Attempts; secondFactors: SecondFactors }

/** Whether a sign-in of the user with this code is a guess of it. */
export const isGuess = (user: UserRow, code: string | undefined): code is string =>
  user.second_factor_at !== null && code !== undefined

/**
 * Throws one 401 for a missing and a wrong code of a user whose codes are on. Call when the password is right: only then
 * may anybody learn that a code is needed.
 */
export async function checkCode(deps: CodeDeps, user: UserRow, code: string | undefined): Promise<void> {
  if (user.second_factor_at === null) return
  if (!isGuess(user, code)) throw secondFactorRequired()
  if (await isRight(deps, user, code)) return
  await auditFailure(deps.db, user.id)
  throw secondFactorRequired()
}

/** A million one-time codes can be tried, so guesses of them are limited hard. Throws 429. */
export async function isRight(
  { db, attempts, secondFactors }: CodeDeps,
  { id }: UserRow,
  code: string,
): Promise<boolean> {
  if (!isOneTime(code)) return secondFactors.spend(db, id, code)
  const guess = await attempts.onCode(id)
  const right = await secondFactors.spend(db, id, code)
  if (right) await guess.succeeded()
  return right
}
