import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { freePort } from '@whereabouts/deploy/workshop/servers/free-port'
import { eventually } from '@whereabouts/testing/eventually'
import { expect } from 'vitest'

export type Delivery = { body: string; timestamp: string; signature: string }
type Receiver = { command: string; program: string; folder: string; env: NodeJS.ProcessEnv }

/** Starts a receiver of the page on a free port, sends it the deliveries and ends it. Resolves with the lines that it prints. */
export async function answersOf(receiver: Receiver, sent: readonly Delivery[]): Promise<string[]> {
  const { command, program, folder: cwd, env } = receiver
  const port = String(await freePort())
  writeFileSync(program, readFileSync(program, 'utf8').replace('9000', port))
  const child = spawn(command, [program], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  const printed = text(child.stdout)
  try {
    const statuses = []
    for (const delivery of sent) statuses.push(await eventually(() => deliver(port, delivery)))
    child.kill()
    const lines = (await printed).trim().split('\n')
    expect(
      lines.map((line) => Number.parseInt(line, 10)),
      'the statuses of the responses',
    ).toEqual(statuses)
    return lines
  } finally {
    child.kill()
    await exit
  }
}

async function deliver(port: string, { body, timestamp, signature }: Delivery): Promise<number> {
  const headers = { 'x-service-timestamp': timestamp, 'x-service-signature': signature }
  const response = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', headers, body })
  return response.status
}
