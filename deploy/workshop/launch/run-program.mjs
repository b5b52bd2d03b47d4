// Plain JavaScript without dependencies, see progress.mjs.
import { spawn } from 'node:child_process'
import { StepError } from './progress.mjs'

const OFFLINE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network|self.signed|ERR_SOCKET/i
const NOT_OURS = /EACCES|EPERM|permission denied/i
const NO_SPACE = /ENOSPC/

/**
 * Runs a program quietly; its output is shown only when it fails.
 * @param {string} what for the error message, like "pnpm install"
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<void>}
 */
export function runProgram(what, command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk.toString()).slice(-10_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => reject(failure(what, error.message)))
    child.on('close', (code) => (code === 0 ? resolve() : reject(failure(what, output))))
  })
}

/** @param {string} what @param {string} output */
function failure(what, output) {
  const lastLines = output.trim().split('\n').slice(-12).join('\n')
  return new StepError(`${what} failed:`, advice(output), lastLines)
}

/** @param {string} output */
function advice(output) {
  if (/frozen-lockfile|OUTDATED_LOCKFILE/.test(output)) {
    return 'A package.json was changed without the lockfile: run "pnpm install" and commit pnpm-lock.yaml.'
  }
  if (NO_SPACE.test(output)) return 'The disk is full: free about 1 GB and run the command again.'
  if (OFFLINE.test(output)) {
    return (
      'The package registry could not be reached. Check the connection (behind a proxy: HTTPS_PROXY, and "npm config ' +
      'get registry"), then run the command again. It keeps the files that it has already fetched.'
    )
  }
  if (NOT_OURS.test(output)) {
    return 'Some files belong to another user, perhaps from an earlier run as root. Remove node_modules and .cache, or chown them.'
  }
  return 'Run the command again. If it fails the same way, remove node_modules and .cache first.'
}
