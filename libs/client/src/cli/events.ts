import { randomBytes, randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import type { Event } from '../events.ts'
import { cursorFile } from '../events.ts'
import { standardWebhookSignature, webhookSignature } from '../webhooks.ts'
import { EXAMPLES } from './event-examples.ts'
import { say, write } from './output.ts'
import { open, UsageError } from './settings.ts'

type Following = { type?: string[]; cursorFile?: string; from: 'oldest' | 'now'; json?: true }
type Forwarding = { forwardTo: string; type: string[]; secret?: string }

const TIMEOUT_MS = 5_000

/** What happens, as it happens, and deliveries to a program on this machine. */
export function addEventCommands(program: Command): void {
  program
    .command('events')
    .description('print what happens, as it happens, until Ctrl-C')
    .option('--type <types...>', 'such as asset.moved; default: all')
    .option('--cursor-file <file>', 'go on after the event that was printed last')
    .option('--from <start>', 'oldest, or now', 'now')
    .option('--json', 'one JSON object per line, for programs')
    .action(async ({ type, cursorFile: file, from, json }: Following) => {
      say('Watching. Ctrl-C ends it.\n')
      await open().events.consume({
        from,
        ...(type && { types: type }),
        ...(file !== undefined && { store: cursorFile(file) }),
        onEvent: (event) => write(json ? `${JSON.stringify(event)}\n` : lineOf(event)),
      })
    })
  program
    .command('listen')
    .description('send what happens to a program on this machine, signed as a webhook, until Ctrl-C')
    .requiredOption('--forward-to <url>', 'such as http://localhost:3000/webhooks')
    .option('--type <types...>', 'of events', ['asset.moved'])
    .option('--secret <secret>', 'default: WHEREABOUTS_WEBHOOK_SECRET, or a new one, which is printed')
    .action(async ({ forwardTo, type, secret }: Forwarding) => {
      const signing = await secretOf(secret)
      say(`Sending ${type.join(', ')} to ${forwardTo}. Ctrl-C ends it.\n`)
      await open().events.consume({
        types: type,
        onEvent: async (event) => write(`${event.type}  ${event.id}  ${await forward(forwardTo, event, signing)}\n`),
      })
    })
  program
    .command('trigger')
    .description('send an example of an event to a program on this machine, signed as a webhook')
    .argument('<type>', Object.keys(EXAMPLES).join(', '))
    .requiredOption('--forward-to <url>', 'such as http://localhost:3000/webhooks')
    .option('--secret <secret>', 'default: WHEREABOUTS_WEBHOOK_SECRET, or a new one, which is printed')
    .action(async (type: string, { forwardTo, secret }: Forwarding) => {
      const data = EXAMPLES[type]
      if (!data) throw new UsageError(`There is no event ${type}. There are ${Object.keys(EXAMPLES).join(', ')}.`)
      const now = new Date().toISOString()
      const event = { id: randomUUID(), type, occurred_at: now, recorded_at: now, data }
      const answer = await forward(forwardTo, event, await secretOf(secret))
      write(`${type}  ${event.id}  ${answer}\n`)
      if (!answer.startsWith('2')) throw new UsageError('The program did not answer 2xx.', 1)
    })
} // oxfmt-ignore

function lineOf({ occurred_at, type, data }: Event): string {
  const thing = (data['asset'] ?? data['location'] ?? data['reader']) as { external_key?: string } | undefined
  return `${occurred_at}  ${type}  ${thing?.external_key ?? '-'}\n`
}

async function secretOf(given = process.env['WHEREABOUTS_WEBHOOK_SECRET']): Promise<string> {
  if (given) {
    await standardWebhookSignature('', '', '0', given).catch((error: Error) => {
      throw new UsageError(`${error.message}. Without one, this command makes one.`)
    })
    return given
  }
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  say(`The secret of this run: ${secret}\n`)
  return secret
}

/** What the program answered: its status, or why there is none. The body and the headers are those of a delivery. */
async function forward(url: string, { id, type, occurred_at, data }: Event, secret: string): Promise<string> {
  const body = JSON.stringify({ event: type, delivery_id: id, occurred_at, data })
  const [timestamp, now] = [Date.parse(occurred_at), Date.now()].map((ms) =>
    String(Math.floor(ms / 1_000)),
  ) as [string, string]
  const headers = {
    'content-type': 'application/json',
    'x-service-event': type,
    'x-service-delivery': id,
    'x-service-timestamp': timestamp,
    'x-service-signature': await webhookSignature(body, timestamp, secret),
    'webhook-id': id,
    'webhook-timestamp': now,
    'webhook-signature': await standardWebhookSignature(body, id, now, secret),
  }
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
    await answer.body?.cancel()
    return String(answer.status)
  } catch (error) {
    const { message, cause } = error as Error
    return cause instanceof Error ? `no answer: ${cause.message}` : `no answer: ${message}`
  }
}
