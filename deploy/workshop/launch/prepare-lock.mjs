// Plain JavaScript without dependencies, see progress.mjs.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { say } from './progress.mjs'

/**
 * Runs `work` while no other process of this machine does the same. The lock of a process that was killed is removed.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true })
  await take(file)
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

/** @param {string} file @param {boolean} [announced] whether the wait was announced */
async function take(file, announced = false) {
  if (tryTake(file)) return
  const holder = holderOf(file)
  const waits = isAlive(holder)
  if (!waits) removeStale(file)
  else if (!announced) say(`  … waiting for another run that prepares this checkout (pid ${holder})`)
  await delay(200)
  await take(file, announced || waits)
}

/** A link, not an exclusive write, so that the file always holds the pid. @param {string} file */
function tryTake(file) {
  const mine = `${file}.${process.pid}`
  writeFileSync(mine, String(process.pid))
  try {
    linkSync(mine, file)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(mine, { force: true })
  }
}

/** Moves the lock away, and back when a living process took it meanwhile. @param {string} file */
function removeStale(file) {
  const aside = `${file}.stale.${process.pid}`
  try {
    renameSync(file, aside)
    if (isAlive(holderOf(aside))) linkSync(aside, file)
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error // another process removed or took it
  } finally {
    rmSync(aside, { force: true })
  }
}

/** @param {string} file @returns {number} NaN when there is no lock */
function holderOf(file) {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10)
  } catch {
    return Number.NaN
  }
}

/** @param {number} pid */
function isAlive(pid) {
  if (!Number.isInteger(pid)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM' // another user's
  }
}
