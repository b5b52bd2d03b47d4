import { AppError } from '../errors/app-error.ts'
import { validationFailed } from '../errors/errors.ts'

const PARTS = /^(\d{1,16}) (\d{1,16})$/

/** Names the place at the row `seq` in a list of `owner`, an organization or an endpoint. */
export const cursorOf = (owner: number, seq: number): string =>
  Buffer.from(`${owner} ${seq}`).toString('base64url')

/** Undefined unless `cursorOf` made it for this owner. */
export function seqOf(owner: number, cursor: string): number | undefined {
  const [, named, seq] = (PARTS.exec(Buffer.from(cursor, 'base64url').toString()) ?? []).map(Number)
  const isOurs = named === owner && seq !== undefined && Number.isSafeInteger(seq)
  return isOurs && cursorOf(owner, seq) === cursor ? seq : undefined
}

/** Also for a cursor of another owner. */
export const notACursor = () =>
  validationFailed([
    { field: 'after', code: 'invalid_value', message: 'after must be the cursor of an answer' },
  ])

/** `what`: the rows, in the plural. `oldest`: everything that is kept comes after it; `newest`: nothing does. */
export const cursorGone = (what: string, oldest: string, newest: string) =>
  new AppError(
    'gone',
    `${what} after this cursor were removed. Read everything again, then go on with error.cursor`,
    { cursor: { oldest, newest } },
  )
