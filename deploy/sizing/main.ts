// What an installation of a given size takes, by the arithmetic of docs/scaling.md.
import { parseArgs } from 'node:util'
import { sizing, TYPICAL, type Load } from './sizing.ts'
import { sizingTable } from './table.ts'

const FLAGS = {
  organizations: [10, 'how many there are; the rest is of one of them'],
  assets: [TYPICAL.assets, 'assets, with 1.2 tags each'],
  readers: [TYPICAL.readers, 'readers'],
  messages: [TYPICAL.messages, 'messages a second of each reader'],
  reads: [TYPICAL.reads, 'reads in a message'],
  seen: [TYPICAL.seen, 'share of the assets seen in a minute, 0 to 1'],
  moves: [TYPICAL.movesPerDay, 'movements a day'],
  requests: [TYPICAL.requests, 'requests a second'],
  hours: [TYPICAL.hours, 'hours a day in which readers work'],
  retention: [TYPICAL.retention, 'days that history is kept'],
} as const
type Flag = keyof typeof FLAGS

const HELP = `node deploy/sizing/main.ts    what an installation takes: rates, cores, disk, memory

${Object.entries(FLAGS)
  .map(([name, [value, text]]) => `  --${name.padEnd(16)}${text} (${value})`)
  .join('\n')}

Where the figures come from, and what to do when one is too large: docs/scaling.md
`

function main(): void {
  const names = Object.keys(FLAGS) as Flag[]
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } })
  if (values.help) return void process.stdout.write(HELP)
  const numberOf = (name: Flag): number => {
    const given = (values as Partial<Record<Flag, string>>)[name]
    const value = given === undefined ? FLAGS[name][0] : Number(given)
    if (!Number.isFinite(value) || value < 0) throw new Error(`--${name} must be a number, 0 or more`)
    return value
  }
  const load: Load = {
    organizations: numberOf('organizations'),
    assets: numberOf('assets'),
    readers: numberOf('readers'),
    messages: numberOf('messages'),
    reads: numberOf('reads'),
    seen: numberOf('seen'),
    movesPerDay: numberOf('moves'),
    requests: numberOf('requests'),
    hours: numberOf('hours'),
    retention: numberOf('retention'),
  }
  process.stdout.write(`${sizingTable([{ title: 'takes', needs: sizing(load) }])}\n`)
}

try {
  main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nsee --help\n`)
  process.exitCode = 2
}
