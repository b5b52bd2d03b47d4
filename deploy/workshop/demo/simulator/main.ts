// The process of the simulated warehouse.
import { parseArgs } from 'node:util'
import { readDemo } from '../demo-file.ts'
import { startSimulator } from './simulator.ts'

const HELP = `node deploy/workshop/demo/simulator/main.ts [flags]    publish the reads of nine simulated readers

  --demo FILE           addresses and credentials, as npm start writes them   default .data/demo.json
  --reads-per-second N  of the warehouse, besides two rooms and a gate, 1 to 2000  default 40
  --help                print this

Problems go to standard error, one line each. SIGTERM and Ctrl-C stop it.
`

const onProblem = (text: string) => process.stderr.write(`${text}\n`)

type Settings = { demo: string; readsPerSecond: number }

function readSettings(): Settings | 'help' {
  const { values } = parseArgs({
    options: {
      demo: { type: 'string', default: '.data/demo.json' },
      'reads-per-second': { type: 'string', default: '40' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return 'help'
  const readsPerSecond = Number(values['reads-per-second'])
  if (!(readsPerSecond >= 1 && readsPerSecond <= 2000))
    throw new Error('--reads-per-second must be a number from 1 to 2000')
  return { demo: values.demo, readsPerSecond }
}

async function run({ demo: file, readsPerSecond }: Settings): Promise<void> {
  const demo = readDemo(file)
  if (!demo) throw new Error(`${file} does not exist. Run npm start first, or name another file with --demo.`)
  const stopRequest = Promise.withResolvers<void>()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, () => stopRequest.resolve())
  process.once('disconnect', () => stopRequest.resolve()) // the parent has ended
  const simulator = await startSimulator({ demo, readsPerSecond, onProblem })
  process.send?.('started')
  await stopRequest.promise
  await simulator.stop()
  if (process.connected) process.disconnect()
}

try {
  const settings = readSettings()
  if (settings === 'help') process.stdout.write(HELP)
  else await run(settings)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
