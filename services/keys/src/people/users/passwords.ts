import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** Hash, salt and cost: argon2 returns raw bytes without them. */
export type PasswordHash = {
  password_hash: Buffer
  password_salt: Buffer
  password_memory_kib: number
  password_passes: number
  password_parallelism: number
}

const COST = { password_memory_kib: 19_456, password_passes: 2, password_parallelism: 1 } as const
const HASH_BYTES = 32
const SALT_BYTES = 16

/** Runs work of a source (an address block) when it is its turn. */
type InTurn = <T>(source: string, work: () => Promise<T>) => Promise<T>

const argon2Async = promisify(argon2)

/**
 * argon2id with a limit on concurrent hashes. Each takes 19 MiB and about 50 ms of a core, so a burst of logins must
 * queue.
 */
export function createPasswords(inTurn: InTurn) {
  // Checked for an unknown e-mail, so that it takes as long as a known one. Matches no password.
  const unknownUser: PasswordHash = {
    ...COST,
    password_hash: randomBytes(HASH_BYTES),
    password_salt: randomBytes(SALT_BYTES),
  }
  return {
    /** For an account that is opened by other means: no password matches, until its user chooses one. */
    none: (): PasswordHash => ({
      ...COST,
      password_hash: randomBytes(HASH_BYTES),
      password_salt: randomBytes(SALT_BYTES),
    }),

    /** `source` is the address block that the hash queues for. */
    async hash(source: string, password: string): Promise<PasswordHash> {
      const cost = { ...COST, password_salt: randomBytes(SALT_BYTES) }
      return { ...cost, password_hash: await inTurn(source, () => derive(password, cost, HASH_BYTES)) }
    },

    /** Without a stored hash it does the same work and returns false. */
    async matches(source: string, password: string, stored: PasswordHash | undefined): Promise<boolean> {
      const wanted = stored ?? unknownUser
      const length = wanted.password_hash.length
      const given = await inTurn(source, () => derive(password, wanted, length))
      return timingSafeEqual(given, wanted.password_hash) && stored !== undefined
    },
  }
}

export type Passwords = ReturnType<typeof createPasswords>

function derive(password: string, cost: Omit<PasswordHash, 'password_hash'>, tagLength: number) {
  return argon2Async('argon2id', {
    message: password.normalize('NFC'), // keyboards differ in how they compose an é
    nonce: cost.password_salt,
    memory: cost.password_memory_kib,
    passes: cost.password_passes,
    parallelism: cost.password_parallelism,
    tagLength,
  })
}
