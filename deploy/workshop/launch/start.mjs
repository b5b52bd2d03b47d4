// The command `npm start`: plain JavaScript, because the machine's Node may be older than the one we need.
import { launch } from './launch.mjs'

const HELP = `npm start [-- flags]    run Whereabouts on this machine with a simulated warehouse

  --reset          delete the data of earlier starts first
  --no-simulator   start without the simulated readers
  --help           print this

Environment
  PORT        the public address, http://127.0.0.1:PORT     default 8080
  NATS_PORT   where readers connect with NATS               default 4222
  MQTT_PORT   where readers connect with MQTT               default 1883
  DATA_DIR    database, streams, secrets, logs              default .data

Ctrl-C stops everything; the next start resumes the data.
`
const FLAGS = new Set(['--reset', '--no-simulator'])
const args = process.argv.slice(2)
const unknown = args.filter((arg) => !FLAGS.has(arg))
if (args.includes('--help') || args.includes('-h')) process.stdout.write(HELP)
else if (unknown.length === 0) await launch('deploy/workshop/stack/start.ts', args)
else {
  process.stderr.write(`Unknown flag ${unknown[0]}.\n\n${HELP}`)
  process.exitCode = 2
}
