import type { KeyObject } from 'node:crypto'
import { TOKEN_ALGORITHM } from '@whereabouts/contracts/resources/keys/token-claims'
import type { Db, SigningKeyRow, Tx } from '../../db.ts'
import { newSealedKey, openSealedKey } from './sealed-keys.ts'
import {
  deleteOldSigningKeys,
  insertSigningKey,
  isRotationDue,
  listSigningKeyLives,
  listSigningKeys,
  lockSigningKeys,
  promoteNextKey,
  type SigningKeyLife,
} from './signing-keys.queries.ts'

type PublicJwk = { kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; use: 'sig'; alg: string }

export type SigningKeys = {
  /** The key that signs now. Creates the first one. */
  active(): Promise<{ kid: string; privateKey: KeyObject }>
  /** Of the active key, the next one, and retired ones whose tokens may still be valid. */
  publicKeys(): Promise<PublicJwk[]>
  /** Rotates if the active key is `days` old; returns whether it did. Any replica may call it at any time. */
  rotateIfDue(days: number): Promise<boolean>
}

type KeySet = { active: { kid: string; privateKey: KeyObject }; published: PublicJwk[]; loadedAt: number }

type Options = { db: Db; secret: Buffer; now: () => number }

/** How long a replica caches the keys. Must be shorter than PUBLISHED_FOR and RETIRED_FOR. */
const CACHE_MS = 30_000

/**
 * The keys that sign access tokens. The next key is published before it signs, and a retired key until its last token
 * has expired. So replicas and verifiers may learn of a rotation late.
 */
export function createSigningKeys({ db, secret, now }: Options): SigningKeys {
  let loading: Promise<KeySet> | undefined
  let current: KeySet | undefined

  async function keySet(): Promise<KeySet> {
    if (current && now() - current.loadedAt < CACHE_MS) return current
    loading ??= load().finally(() => {
      loading = undefined
    })
    return loading
  }

  async function load(): Promise<KeySet> {
    let rows = await listSigningKeys(db)
    if (!hasBoth(rows)) rows = await db.transaction().execute((tx) => createMissingKeys(tx, secret))
    const active = rows.find((row) => row.state === 'active')
    if (!active) throw new Error('there is no active signing key')
    current = {
      active: { kid: active.kid, privateKey: openSealedKey(active, secret) },
      published: rows.map(toJwk),
      loadedAt: now(),
    }
    return current
  }

  return {
    active: async () => (await keySet()).active,
    publicKeys: async () => (await keySet()).published,
    async rotateIfDue(days) {
      const rotated = await db.transaction().execute(async (tx) => {
        await lockSigningKeys(tx)
        await deleteOldSigningKeys(tx)
        if (!(await isRotationDue(tx, days))) return false
        await rotate(tx, secret)
        return true
      })
      if (rotated) current = undefined
      return rotated
    },
  }
}

/** Call under `lockSigningKeys`. The next key becomes active, and a new next key is published. */
async function rotate(tx: Tx, secret: Buffer): Promise<void> {
  await promoteNextKey(tx)
  await insertSigningKey(tx, newSealedKey(secret), 'next')
}

/**
 * Rotates at once, at any age of the active key. If the next key is too new for every verifier to know it,
 * nothing changes and `rotated` is false. Throws if the keys were sealed under another secret, because the replicas
 * could not open a key that is sealed under this one.
 */
export function rotateNow(db: Db, secret: Buffer): Promise<{ rotated: boolean; keys: SigningKeyLife[] }> {
  return db.transaction().execute(async (tx) => {
    await lockSigningKeys(tx)
    for (const key of await listSigningKeys(tx)) if (key.state !== 'retired') openSealedKey(key, secret)
    const before = await listSigningKeyLives(tx)
    if (!before.some((key) => key.is_ready)) return { rotated: false, keys: before }
    await rotate(tx, secret)
    return { rotated: true, keys: await listSigningKeyLives(tx) }
  })
}

const hasBoth = (rows: readonly SigningKeyRow[]) =>
  rows.some((row) => row.state === 'active') && rows.some((row) => row.state === 'next')

/** If two replicas start at once, the second finds the keys of the first. */
async function createMissingKeys(tx: Tx, secret: Buffer): Promise<SigningKeyRow[]> {
  await lockSigningKeys(tx)
  const rows = await listSigningKeys(tx)
  for (const state of ['active', 'next'] as const) {
    if (!rows.some((row) => row.state === state)) await insertSigningKey(tx, newSealedKey(secret), state)
  }
  return listSigningKeys(tx)
}

const toJwk = ({ kid, public_key: x }: SigningKeyRow): PublicJwk => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  kid,
  use: 'sig',
  alg: TOKEN_ALGORITHM,
})
