// Plain JavaScript without dependencies: runs on any Node, before packages are installed.

/** A failure that the user can fix: printed without a stack. */
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

/** For commands whose output programs read: reports only slow steps, on standard error. */
export function beBrief() {
  isBrief = true
}

/** @param {string} line */
export function say(line) {
  if (!isBrief) process.stdout.write(`${line}\n`)
}

/** @param {string} line */
const report = (line) => (isBrief ? process.stderr : process.stdout).write(`${line}\n`)

/**
 * Announces a slow step, runs it and prints its duration.
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} run
 * @returns {Promise<T>}
 */
export async function step(title, run) {
  const startedAt = Date.now()
  report(`  … ${title}`)
  const result = await run()
  report(`  ✓ ${title} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
  return result
}
