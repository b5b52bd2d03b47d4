import { pick } from '@whereabouts/contracts/rules/fields'
import type { Db } from '../db.ts'
import { rotateNow } from '../credentials/tokens/signing-keys.ts'
import { listSigningKeyLives, type SigningKeyLife } from '../credentials/tokens/signing-keys.queries.ts'
import { OpsError } from './failures.ts'
import { table, type Report } from './report.ts'

export async function listAllSigningKeys(db: Db): Promise<Report> {
  const keys = await listSigningKeyLives(db)
  const heading = ['KID', 'STATE', 'CREATED', 'ACTIVATED', 'NEXT STEP']
  const rows = keys.map((key) => [key.kid, key.state, key.created_at, key.activated_at ?? '', future(key)])
  const text = keys.length === 0 ? 'There are none yet: the service makes them for its first token.' : ''
  return { json: { data: keys.map(toKey) }, text: text || table([heading, ...rows]) }
}

/** Running replicas sign with the previous key for up to 30 seconds, which every gateway accepts. */
export async function rotateSigningKeys(db: Db, secret: Buffer): Promise<Report> {
  const { rotated, keys } = await rotateNow(db, secret)
  if (!rotated) throw tooEarly(keys)
  const [active, next] = [keyIn(keys, 'active'), keyIn(keys, 'next')]
  const retired = keys.findLast((key) => key.state === 'retired')
  const lines = [
    `${active?.kid} signs from now on; running replicas change over within 30 seconds.`,
    `${retired?.kid} is retired. Tokens it signed are good until they expire; it is published until ` +
      `${retired?.published_until} and then deleted.`,
    `${next?.kid} is the next key, published from now on; it can become active from ${next?.ready_at}.`,
  ]
  return { json: { data: keys.map(toKey) }, text: lines.join('\n') }
}

function tooEarly(keys: readonly SigningKeyLife[]): OpsError {
  const next = keyIn(keys, 'next')
  if (!next)
    return new OpsError(
      'too_early',
      'There are no signing keys yet: the service makes them for its first token.',
    )
  const message =
    `The next key, ${next.kid}, is too new: a gateway may not know it yet and would refuse its tokens. ` +
    `It can become active from ${next.ready_at}. Nothing has changed.`
  return new OpsError('too_early', message, { ready_at: next.ready_at })
}

const keyIn = (keys: readonly SigningKeyLife[], state: SigningKeyLife['state']) =>
  keys.find((key) => key.state === state)

function future({ state, ready_at, is_ready, published_until }: SigningKeyLife): string {
  if (state === 'active') return 'signs until it is rotated'
  if (state === 'retired') return `published until ${published_until}`
  return is_ready ? 'can become active' : `can become active from ${ready_at}`
}

const toKey = (key: SigningKeyLife) =>
  pick(key, ['kid', 'state', 'created_at', 'activated_at', 'retired_at', 'ready_at', 'published_until'])
