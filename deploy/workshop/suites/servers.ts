// Runs only the servers of `npm test` until Ctrl-C, to run single suites repeatedly or from an editor.
import { startTestServers } from './test-servers.ts'
import { untilStopped } from '../stack/until-stopped.ts'

const say = (line: string) => process.stderr.write(`${line}\n`)
const { variables, stop } = await startTestServers(process.env, say)
say('Copy into the shell that runs vitest:\n')
for (const [name, value] of Object.entries(variables)) process.stdout.write(`export ${name}='${value}'\n`)
await untilStopped()
await stop()
process.exit(0)
