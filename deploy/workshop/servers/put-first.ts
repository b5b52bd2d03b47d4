import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

const NICE = -10

/**
 * Puts a server before other busy programs: a request passes several servers in turn, and in each it would wait for all of
 * them. Only root may, so for other users nothing changes. Call it right after the start: what the server starts inherits
 * the nice value. With autogroups Linux compares sessions first, so that of the server needs one as well.
 */
export function putFirst({ pid }: ChildProcess): void {
  if (pid === undefined) return // it did not start
  try {
    setPriority(pid, NICE)
    writeFileSync(`/proc/${pid}/autogroup`, String(NICE))
  } catch {
    // not permitted, or a system without autogroups
  }
}
