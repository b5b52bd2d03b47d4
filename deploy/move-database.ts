// A step of operators: moves the database, or that of some services, to another server while the product runs.
import { databaseEnv, loadEnv } from '@whereabouts/service-kit/service/env'
import { z } from 'zod'
import { runCommand } from './command.ts'
import { schemasOf, withSides } from './database/move/sides.ts'
import { arrivals, describe, start, switchOver, undo, wait } from './database/move/steps.ts'

const HELP = `node deploy/move-database.ts STEP    move the database to another server, or to a newer PostgreSQL, while the product runs

Steps; each is safe to repeat
  --start              begin to copy everything to the new server
  --status             say how far the copy is
  --wait               with --start or --status: until the copy is complete, saying how far it is
  --switch             end the sessions of services at the old server, wait for the last changes, and let services in at the new one.
                       Takes about a second. If it fails, the old server is open again
  --undo               give up before the switch: services stay at the old server

Options
  --services LIST      only the schemas of these services, separated by commas: keys, catalog, tracking, webhook-dispatcher, gateway
  --verify             with --switch: compare all rows of both servers before services are let in; they wait as long as that takes

Environment
  FROM_DATABASE_URL, TO_DATABASE_URL
      an administrator of the old and of the new server, in the database of the product
  SOURCE_DATABASE_URL
      optional: how the new server reaches the old one, where that differs from FROM_DATABASE_URL

Before --start
  1. The old server has wal_level=logical. That takes a restart, once.
  2. deploy/migrate.ts has run for the new server, of the same release and with the same passwords.
After --start, before --switch
  3. Each DATABASE_URL has the parameter next_host=HOST:PORT of the new server, and its service was restarted.
Afterwards: put the new server into each DATABASE_URL, and remove next_host. Until then the old server has to run.
docs/moving.md explains it all.
`

const address = databaseEnv.DATABASE_URL
const Config = z.object({
  FROM_DATABASE_URL: address,
  TO_DATABASE_URL: address,
  SOURCE_DATABASE_URL: address.optional(),
})

const STEPS = ['start', 'status', 'switch', 'undo'] as const
const say = (line: string) => void process.stderr.write(`${line}\n`)

type Given = Partial<Record<(typeof STEPS)[number] | 'wait' | 'verify', boolean> & { services: string }>

async function main(given: Given): Promise<string> {
  const [step, ...others] = STEPS.filter((name) => given[name])
  if (!step || others.length > 0)
    throw new Error(`give one of ${STEPS.map((name) => `--${name}`).join(', ')}`)
  const config = loadEnv(Config, process.env)
  const schemas = schemasOf(given.services?.split(','))
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort(new Error('interrupted')))
  const addresses = {
    from: config.FROM_DATABASE_URL,
    to: config.TO_DATABASE_URL,
    source: config.SOURCE_DATABASE_URL,
  }
  return withSides(addresses, schemas, async (sides) => {
    if (step === 'undo') {
      await undo(sides)
      return 'services stay at the old server'
    }
    if (step === 'switch') {
      const closedMs = await switchOver(sides, {
        say,
        verify: given.verify ?? false,
        signal: stopping.signal,
      })
      say(`moved: no server took services for ${(closedMs / 1000).toFixed(1)} s`)
      const { arrived, missing } = await arrivals(sides)
      const late = missing.map((schema) => `${schema} (does its DATABASE_URL have next_host?)`)
      return [
        `arrived: ${arrived.join(', ') || 'none'}`,
        ...(late.length > 0 ? [`not yet: ${late.join(', ')}`] : []),
      ].join('\n')
    }
    if (step === 'start') await start(sides)
    if (given.wait) await wait(sides, say)
    return describe(sides)
  })
}

await runCommand('move-database', HELP, main, [...STEPS, 'wait', 'verify'], ['services'])
