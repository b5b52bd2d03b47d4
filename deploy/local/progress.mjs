// Plain JavaScript without dependencies: runs before anything is installed, on whatever Node the machine has.

/** A failure that a person can act on: printed without a stack. */
export class StepError extends Error {
  /**
   * @param {string} what what failed
   * @param {string} advice what to do about it
   * @param {string} [output] the last lines of a program's output
   */
  constructor(what, advice, output = '') {
    const indented = output.trim().replace(/^/gm, '    ')
    super([what, output.trim() && indented, advice].filter(Boolean).join('\n'))
    this.name = 'StepError'
  }
}

let isBrief = false

/** For commands whose output programs read: only what takes a while is told, on standard error. */
export function beBrief() {
  isBrief = true
}

/** @param {string} line */
export function say(line) {
  if (!isBrief) process.stdout.write(`${line}\n`)
}

/** @param {string} line */
const tell = (line) => (isBrief ? process.stderr : process.stdout).write(`${line}\n`)

/**
 * Announces a step that takes a while, runs it, and says how long it took.
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} run
 * @returns {Promise<T>}
 */
export async function step(title, run) {
  const startedAt = Date.now()
  tell(`  … ${title}`)
  const result = await run()
  tell(`  ✓ ${title} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
  return result
}
