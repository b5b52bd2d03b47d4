import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Stops a child when this process ends, even by SIGKILL: a shell waits on a pipe that closes with this process and then
 * signals the child. The shell ends with the child, before the pid can be reused.
 */
export function guardChild(child: ChildProcess, signal: 'TERM' | 'INT'): void {
  if (child.pid === undefined) return // it did not start
  const script = 'read -r word; [ "$word" = released ] || kill -s "$1" "$0"'
  const guard = spawn('/bin/sh', ['-c', script, String(child.pid), signal], {
    detached: true, // a Ctrl-C in the terminal must not reach it
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.on('error', () => {}) // without a shell, the next start finds the process by its pid file
  guard.stdin.on('error', () => {}) // the guard was killed
  guard.unref()
  child.once('exit', () => guard.stdin.end('released\n'))
}
