// For operators: list, show, replay and drop dead letters.
import { brokerLogin, connect, type Broker } from '@whereabouts/messaging/connect/connection'
import { brokerEnv, ConfigError, loadEnv } from '@whereabouts/service-kit/service/env'
import { z } from 'zod'
import { readArguments, UsageError, type Command } from './dead-letters/arguments.ts'
import { dropLetters, replayLetters } from './dead-letters/bulk.ts'
import { listLetters } from './dead-letters/list.ts'
import { showLetter } from './dead-letters/show.ts'
import { visible } from './dead-letters/visible.ts'
import { errorText } from './error-text.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/** False when something was left undone. */
async function perform(broker: Broker, request: Command): Promise<boolean> {
  const out = { print: (text: string) => void process.stdout.write(`${text}\n`), tell }
  if (request.do === 'list') return listLetters(broker, request, out)
  if (request.do === 'show') return showLetter(broker, request, out)
  if (request.do === 'replay') return replayLetters(broker, request, out)
  return dropLetters(broker, request, out)
}

const tell = (text: string) => void process.stderr.write(`${text}\n`)

async function main(): Promise<void> {
  const request = readArguments(process.argv.slice(2), Date.now())
  if (request.do === 'help') return void process.stdout.write(request.text)
  const login = brokerLogin(loadEnv(z.object(brokerEnv), process.env))
  const broker = await connect({ ...login, name: 'dead-letters', logger: quiet, firstConnectMs: 10_000 })
  try {
    if (!(await perform(broker, request))) process.exitCode = 1
  } finally {
    await broker.close()
  }
}

const EX_CONFIG = 78

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return 2
  return error instanceof ConfigError ? EX_CONFIG : 1
}

try {
  await main()
} catch (error) {
  tell(`dead-letters: ${visible(errorText(error), { lines: true })}`)
  process.exitCode = exitCodeOf(error)
}
