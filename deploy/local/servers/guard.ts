import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Sees to it that a child does not outlive this process, not even when this process is killed with SIGKILL: a shell waits
 * on a pipe that closes with us, and then signals the child. Ends with the child, before its pid can be another's.
 */
export function guardChild(child: ChildProcess, signal: 'TERM' | 'INT'): void {
  if (child.pid === undefined) return // it did not start
  const script = 'read -r word; [ "$word" = released ] || kill -s "$1" "$0"'
  const guard = spawn('/bin/sh', ['-c', script, String(child.pid), signal], {
    detached: true, // a Ctrl-C in the terminal must not reach it
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.on('error', () => {}) // without a shell, the pid file still lets the next start find the process
  guard.stdin.on('error', () => {}) // the guard was killed: nothing to release
  guard.unref()
  child.once('exit', () => guard.stdin.end('released\n'))
}
