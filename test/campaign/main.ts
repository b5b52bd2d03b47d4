// `pnpm campaign`: a whole system under load and faults. All servers listen on loopback.
import { randomInt } from 'node:crypto'
import { campaign } from './campaign.ts'
import { HELP, readOptions, UsageError } from './options.ts'

/** What is still open this long after the verdict is named, and the process ends without it. */
const END_MS = 5_000

const say = (line: string) => void process.stdout.write(`${line}\n`)

const { promise: interrupted, reject: interrupt } = Promise.withResolvers<never>()
interrupted.catch(() => undefined) // rounds see it
process.on('uncaughtException', interrupt) // also a promise that nobody awaits
process.on('SIGTERM', () => interrupt(new Error('stopped by SIGTERM')))
process.on('SIGINT', () => interrupt(new Error('stopped by SIGINT')))
// Ends with its wrapper. The channel itself does not keep the process alive.
process.once('disconnect', () => process.exit(2))
process.channel?.unref()

process.exitCode = await main()
setTimeout(() => {
  say(`Still open, ended with the process: ${process.getActiveResourcesInfo().join(', ')}`)
  process.stdout.write('', () => process.exit())
}, END_MS).unref()

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2), randomInt(1, 2 ** 31))
    if (options !== 'help') return await campaign(options, { say, interrupted })
    say(HELP)
    return 0
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n\n${HELP}`)
    return 2
  }
}
