// Plain JavaScript without dependencies, see progress.mjs.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { onParentEnd } from './end-with-parent.mjs'
import { prepare, root } from './prepare.mjs'
import { StepError } from './progress.mjs'

const HARD_STOP_MS = 8_000

/**
 * Prepares the checkout, then runs a TypeScript file of the checkout with the right Node, in the same terminal: signals
 * are passed on, and its exit code becomes ours. When this process is killed, the channel closes and the program ends.
 * When the parent of this process ends, so does the program, and then this process.
 * @param {string} script - its path from the root of the checkout
 * @param {string[]} args
 * @param {string[]} nodeFlags
 */
export async function launch(script, args, nodeFlags = []) {
  let stop = () => process.exit(1)
  onParentEnd(() => stop())
  try {
    const { node, env } = await prepare()
    const stdio = /** @type {const} */ (['inherit', 'inherit', 'inherit', 'ipc'])
    const child = spawn(node, [...nodeFlags, join(root, script), ...args], {
      cwd: root,
      env,
      stdio: [...stdio],
    })
    stop = () => {
      child.kill('SIGTERM')
      setTimeout(() => child.kill('SIGKILL'), HARD_STOP_MS).unref() // guards then stop what it started
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    child.on('error', fail)
    child.on('exit', (code, signal) => process.exit(signal ? 1 : code))
  } catch (error) {
    fail(error)
  }
}

/** @param {unknown} error */
function fail(error) {
  const text =
    error instanceof StepError ? error.message : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`\n${text}\n`)
  process.exit(1)
}
