import { hkdfSync } from 'node:crypto'
import type { Db, SecondFactorRow, Tx } from '../../db.ts'
import { codesAreOn, noPendingSecret, wrongCode } from '../../errors.ts'
import { seal, unseal } from '../../credentials/seal.ts'
import { lockUser } from '../users/own-sessions.queries.ts'
import { auditUser } from '../users/user-audit.ts'
import { hasFormOfCode, newTotpSecret, shownSecret, stepOf } from './one-time-codes.ts'
import { hashRecoveryCode, newRecoveryCodes, plainCode } from './recovery-codes.ts'
import {
  deleteSecondFactor,
  findPendingSecret,
  findSecondFactor,
  insertRecoveryCodes,
  markSecondFactor,
  putPendingSecret,
  spendRecoveryCode,
  spendStep,
} from './second-factor.queries.ts'

type Options = {
  /** Of the signing keys; secrets are sealed under a key of their own that comes from it. */
  secret: Buffer
  /** Milliseconds since 1970. */
  now: () => number
}

/** One-time codes of authenticator apps, and recovery codes in their place (ADR 127). */
export function createSecondFactors({ secret: ofService, now }: Options) {
  const key = Buffer.from(hkdfSync('sha256', ofService, '', 'whereabouts second factor', 32))

  function stepOfRow({ user_id, secret }: SecondFactorRow, code: string): number | undefined {
    return stepOf(opened(user_id, secret), code, now())
  }

  function opened(userId: number, sealed: Buffer): Buffer {
    try {
      return unseal(sealed, String(userId), key)
    } catch (cause) {
      throw new Error(
        `the one-time codes of user ${userId} cannot be checked: was SIGNING_KEY_SECRET changed?`,
        {
          cause,
        },
      )
    }
  }

  async function spendOneTimeCode(db: Db, userId: number, code: string): Promise<boolean> {
    const row = await findSecondFactor(db, userId)
    const step = row && stepOfRow(row, code)
    return row !== undefined && step !== undefined && spendStep(db, row, step)
  }

  /** Works also when the secret of the service was changed. */
  const spendRecovery = (db: Db, userId: number, code: string): Promise<boolean> =>
    db.transaction().execute(async (tx) => {
      await lockUser(tx, userId) // so that the count in the audit is right
      const left = await spendRecoveryCode(tx, userId, hashRecoveryCode(code))
      if (left === undefined) return false
      const changes = { recovery_codes: { from: left + 1, to: left } }
      await auditUser(tx, userId, { action: 'second_factor.update', changes })
      return true
    })

  return {
    /** A secret that waits to be confirmed, in place of the one before. Throws 409 while codes are on. */
    async begin(db: Db, userId: number): Promise<{ secret: string; uri: string }> {
      const secret = newTotpSecret()
      const email = await db.transaction().execute(async (tx) => {
        const user = await lockUser(tx, userId)
        if (user?.second_factor_at !== null) throw codesAreOn()
        await putPendingSecret(tx, userId, seal(secret, String(userId), key))
        return user.email
      })
      return shownSecret(secret, email)
    },

    /** Switches codes on and returns the recovery codes. Throws 409 while they are on, and 400 or 404. */
    async confirm(tx: Tx, userId: number, typed: string): Promise<string[]> {
      const user = await lockUser(tx, userId)
      if (user?.second_factor_at !== null) throw codesAreOn()
      const row = await findPendingSecret(tx, userId)
      if (!row) throw noPendingSecret()
      const step = stepOfRow(row, plainCode(typed))
      if (step === undefined || !(await spendStep(tx, row, step))) throw wrongCode()
      const codes = newRecoveryCodes()
      await insertRecoveryCodes(
        tx,
        userId,
        codes.map((code) => hashRecoveryCode(plainCode(code))),
      )
      await markSecondFactor(tx, userId)
      await auditUser(tx, userId, { action: 'second_factor.create' })
      return codes
    },

    /** Whether the code, one-time or of recovery, is right. A right one is spent: it works once. */
    spend(db: Db, userId: number, typed: string): Promise<boolean> {
      const code = plainCode(typed)
      return hasFormOfCode(code) ? spendOneTimeCode(db, userId, code) : spendRecovery(db, userId, code)
    },
  }
}

export type SecondFactors = ReturnType<typeof createSecondFactors>

/** Recovery codes are longer and can be neither guessed nor confused with them. */
export const isOneTime = (typed: string): boolean => hasFormOfCode(plainCode(typed))

/** Also for an operator. Call under `lockUser`, while codes are on. */
export async function switchOff(tx: Tx, userId: number): Promise<void> {
  await deleteSecondFactor(tx, userId)
  await auditUser(tx, userId, { action: 'second_factor.delete' })
}
