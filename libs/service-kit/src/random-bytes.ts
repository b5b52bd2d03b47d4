import { randomFillSync } from 'node:crypto'

const pool = Buffer.allocUnsafe(4096)
let used = pool.length

/**
 * Random bytes for ids, cut from a stock: a call into the generator for each id costs more than the rest of the id.
 * For secrets take `randomBytes` of node:crypto, which leaves nothing of them in memory.
 */
export function idBytes(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return pool.subarray(used - count, used)
}
