// Plain JavaScript without dependencies, see progress.mjs.

const CHECK_MS = 300

/**
 * Calls `stop` once when the parent of this process has ended: npm dies of a signal without telling what it started. The
 * scripts of package.json start with `exec`, so that the parent is npm and not a shell that outlives it.
 * @param {() => void} stop
 */
export function onParentEnd(stop) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stop()
  }, CHECK_MS)
  timer.unref()
}
