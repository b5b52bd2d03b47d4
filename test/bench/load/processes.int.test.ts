import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { cpuSecondsOf } from './processes.ts'

const BURN = 'const until = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < until);'

// Pools close idle connections, and each of those is a process of PostgreSQL.
test.runIf(process.platform === 'linux')(
  'the time of a process counts children that have ended',
  async () => {
    const script = `"$0" -e '${BURN}'; echo ended; read line`
    const shell = spawn('sh', ['-c', script, process.execPath], { stdio: ['pipe', 'pipe', 'inherit'] })
    try {
      expect(await once(createInterface(shell.stdout), 'line')).toEqual(['ended'])
      expect(cpuSecondsOf(shell.pid, { children: true })).toBeGreaterThan(0.25)
      expect(cpuSecondsOf(shell.pid)).toBeLessThan(0.1)
    } finally {
      shell.stdin.end()
      await once(shell, 'exit')
    }
  },
)
