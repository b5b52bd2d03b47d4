import { randomFillSync } from 'node:crypto'

const pool = Buffer.allocUnsafe(4096)
let used = pool.length

/**
 * Random bytes for ids, taken from a pool: calling the generator for each id costs more than the rest of the id. For
 * secrets use `randomBytes` of node:crypto, which keeps no copy in memory.
 */
export function idBytes(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return pool.subarray(used - count, used)
}
