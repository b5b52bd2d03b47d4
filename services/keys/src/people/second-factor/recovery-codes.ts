import { randomBytes } from 'node:crypto'
import { Secret } from 'otpauth'
import { hashSecret } from '../../credentials/secrets.ts'

const COUNT = 10
/** 80 bits, so that a plain digest is enough: nobody can try them all. */
const BYTES = 10

/** Like `ABCD-EFGH-IJKL-MN23`: base32 has no digits that look like letters. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: COUNT }, () => {
    const { base32 } = new Secret({ buffer: Uint8Array.from(randomBytes(BYTES)).buffer })
    return base32.match(/.{4}/g)?.join('-') ?? base32
  })

/** The stored form. Takes the code as `plainCode` returns it. */
export const hashRecoveryCode = (code: string): Buffer => hashSecret(code)

/** As people type codes: with spaces or hyphens, and in lower case. */
export const plainCode = (typed: string): string => typed.replace(/[\s-]/g, '').toUpperCase()
