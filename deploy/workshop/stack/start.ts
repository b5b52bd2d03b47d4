// The command `npm start` after its preparation (start.mjs): the product on this machine, until Ctrl-C.
import { join, relative, resolve } from 'node:path'
import { errorText } from '../../error-text.ts'
import { watchBrokerStorage } from './broker-health.ts'
import { seedDemo } from '../demo/seed.ts'
import { resetData } from './reset.ts'
import { keepLogsSmall } from './rotate-logs.ts'
import { logsDir } from '../servers/child.ts'
import { ROOT } from '../../installation/services.ts'
import { startSimulatorProcess } from '../demo/simulator/simulator-process.ts'
import { type Stack, startStack } from './stack.ts'
import { simulatorPart, stackParts } from './stack-parts.ts'
import { natsDir } from './stack-servers.ts'
import { type Step, runStep } from './stack-steps.ts'
import { supervise } from './supervisor.ts'
import { untilStopped } from './until-stopped.ts'
import { printWelcome } from './welcome.ts'
import { parseArgs } from 'node:util'

const say = (line: string) => process.stdout.write(`${line}\n`)
const onNote = (note: string) => say(`    ${note}`)
const onStep = ({ title, seconds }: Step) =>
  say(seconds === undefined ? `  … ${title}` : `  ✓ ${title} (${seconds.toFixed(1)} s)`)

async function main(settings: StartSettings): Promise<void> {
  const { dataDir, ports, reset } = settings
  const startedAt = performance.now()
  say(`Starting, data in ${shown(dataDir)}`)
  if (reset) await runStep('Deleting the data of earlier starts', onStep, () => resetData(dataDir, onNote))
  const stack = await startStack({ dataDir, ports, onStep, onNote })
  const simulator = await startDemo(settings, stack)
  const parts = [...stackParts(stack), ...(simulator ? [simulator.part] : [])]
  const supervisor = supervise(parts, { say: onNote })
  const { broker } = stack
  const brokerWatch = watchBrokerStorage({
    broker,
    folder: natsDir(dataDir),
    restart: () => broker.stop(), // the supervisor starts it again
    say: onNote,
  })
  const stopRotation = keepLogsSmall(logsDir(dataDir))
  say(`  Ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  const reason = await untilStopped()
  say(`\nStopping: ${reason}`)
  stopRotation()
  await brokerWatch.stop()
  await supervisor.stop()
  await simulator?.stop()
  await stack.stop()
  process.exit(0)
}

/** Creates the demo organization and starts its readers. Stops the stack when either fails. */
async function startDemo({ simulator, dataDir }: StartSettings, stack: Stack) {
  try {
    const { base: baseUrl, nats: natsUrl, mqtt: mqttUrl, mail: mailUrl } = stack.urls
    const demo = await runStep('Demo organization', onStep, () =>
      seedDemo({ baseUrl, natsUrl, mqttUrl, mailUrl, dataDir, onProgress: onNote }),
    )
    const demoFile = join(dataDir, 'demo.json')
    const startWarehouse = () => startSimulatorProcess({ demoFile, onProblem: onNote })
    const running = simulator ? await runStep('Simulated warehouse', onStep, startWarehouse) : undefined
    printWelcome(demo, { credentialsFile: shown(demoFile), logsFolder: shown(logsDir(dataDir)) })
    return running && simulatorPart(running, startWarehouse)
  } catch (error) {
    await stack.stop()
    throw error
  }
}

/** Relative to the checkout where it is inside. */
function shown(path: string): string {
  const short = relative(ROOT, path)
  return short.startsWith('..') ? path : short
}

function fail(error: unknown): never {
  process.stderr.write(`\nWhereabouts did not start. ${errorText(error)}\n`)
  process.exit(1)
}

// A signal during the start ends this process; the guards stop servers and services.
try {
  await main(startSettings(process.argv.slice(2), process.env))
} catch (error) {
  fail(error)
}

type StartSettings = {
  reset: boolean
  simulator: boolean
  dataDir: string
  ports: { base: number; nats: number; mqtt: number; mail: number }
}

/** The settings of `npm start`. Throws one error that names every variable that is not a port. */
function startSettings(args: string[], env: NodeJS.ProcessEnv): StartSettings {
  const { values } = parseArgs({
    args,
    options: { reset: { type: 'boolean' }, simulator: { type: 'boolean', default: true } },
    allowNegative: true, // --no-simulator
  })
  const problems: string[] = []
  const port = (variable: string, otherwise: number) => {
    const text = env[variable] || String(otherwise)
    if (!/^\d+$/.test(text) || Number(text) < 1 || Number(text) > 65_535)
      problems.push(`${variable} must be a port, 1 to 65535`)
    return Number(text)
  }
  const ports = {
    base: port('PORT', 8080),
    nats: port('NATS_PORT', 4222),
    mqtt: port('MQTT_PORT', 1883),
    mail: port('MAIL_PORT', 1080),
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const dataDir = resolve(ROOT, env['DATA_DIR'] || '.data')
  return { reset: values.reset ?? false, simulator: values.simulator, dataDir, ports }
}
