import { InvalidArgumentError, Option, type Command } from 'commander'
import type { components, operations } from '../api.d.ts'
import { ApiError, unwrap } from '../client.ts'
import { print, say, write, type Column, wholeNumber } from './output.ts'
import { open, UsageError } from './settings.ts'

type Webhook = components['schemas']['Webhook']
type Delivery = components['schemas']['EndpointDelivery']
type Create = operations['createWebhookEndpoint']['requestBody']['content']['application/json']
type Replay = components['schemas']['ReplayRequest']
type Filter = Omit<
  NonNullable<operations['listEndpointDeliveries']['parameters']['query']>,
  'limit' | 'after'
>
type Json = { json?: true }
type Creating = Json & { type?: NonNullable<Create['event_types']>; retry?: NonNullable<Create['retry']> }
type Listing = Json & Filter & { limit: number }
type Replaying = Json & { from: string; to?: string; type?: NonNullable<Replay['event_types']> }

const WEBHOOK: Column<Webhook>[] = [
  ['ID', (row) => String(row.id)],
  ['URL', (row) => row.url],
  ['TYPES', (row) => row.event_types.join(' ')],
  ['RETRY', (row) => row.retry],
  ['HEALTH', (row) => (row.disabled_because ? `${row.health}: ${row.disabled_because}` : row.health)],
]
const DELIVERY: Column<Delivery>[] = [
  ['DELIVERY', (row) => row.delivery_id],
  ['TYPE', (row) => row.type],
  ['OCCURRED', (row) => row.occurred_at],
  ['STATE', (row) => row.state],
  ['ATTEMPTS', (row) => String(row.attempts)],
  ['NEXT', (row) => row.next_attempt_at],
  ['LAST ANSWER', ({ last }) => last && (last.error ?? String(last.status_code))],
]

const MINUTES_OF_TOLERANCE = 5
const ONE = '/api/v1/webhook-endpoints/{webhook_id}'

/** Where events are sent, and what became of them. */
export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhooks').description('where events are sent; the key needs the scope webhooks:admin')
  json(webhooks.command('list').description('list webhooks, and whether they fail'))
    .action(async (options: Json) => print(unwrap(await open().api.GET('/api/v1/webhook-endpoints', { params: { query: { limit: 200 } } })).data, WEBHOOK, options))
  json(webhooks.command('create <url>').description('create a further webhook, and show its secret once'))
    .option('--type <types...>', 'of events, such as asset.moved; default: that alone')
    .addOption(new Option('--retry <how>', 'for 7 seconds, or for 72 hours').choices(['standard', 'extended']))
    .action(async (url: string, { type, retry, json: asJson }: Creating) => {
      const body = { url, ...(type && { event_types: type }), ...(retry && { retry }) }
      showSecret(unwrap(await open().api.POST('/api/v1/webhook-endpoints', { body })).data, asJson)
    })
  json(one(webhooks, 'rotate').description('replace the secret, and show the new one once'))
    .action(async (id: number, { json: asJson }: Json) => {
      showSecret(unwrap(await open().api.POST(`${ONE}/rotate-secret`, of(id))).data, asJson)
      say('For 24 hours webhook-signature is also by the secret before. X-Service-Signature is by the new one at once.\n')
    })
  for (const [name, enabled] of [['enable', true], ['disable', false]] as const)
    one(webhooks, name).description(enabled ? 'send what happens from now on' : 'send nothing').action(async (id: number) => {
      const { data } = unwrap(await open().api.PATCH(ONE, { ...of(id), body: { enabled } }))
      write(`${data.url} is ${data.enabled ? 'on' : 'off'}\n`)
    })
  json(one(webhooks, 'deliveries').description('what became of each event, newest first'))
    .addOption(new Option('--state <states...>').choices(['waiting', 'delivered', 'failed', 'dropped']))
    .option('--type <types...>', 'such as asset.moved')
    .option('--from <time>', 'when it happened, as in 2026-11-21T10:00:00Z')
    .option('--to <time>')
    .option('--limit <rows>', 'at most', wholeNumber, 50)
    .action(async (id: number, { limit, json: asJson, ...filter }: Listing) =>
      print(deliveries(id, filter, limit), DELIVERY, { limit, ...(asJson && { json: asJson }) }))
  one(webhooks, 'resend').description('send one event again, with the same id').argument('<delivery>', 'as "webhooks deliveries" shows it')
    .action(async (id: number, delivery_id: string) => {
      await whileOn(id, async () => unwrap(await open().api.POST(`${ONE}/deliveries/{delivery_id}/resend`, { params: { path: { webhook_id: id, delivery_id } } })))
      say(`Sent again. What became of it: whereabouts webhooks deliveries ${id}\n`)
    })
  json(one(webhooks, 'replay').description('send all events of a period again, with the same ids'))
    .requiredOption('--from <time>', 'when we recorded them, as in 2026-11-21T10:00:00Z; they are kept for 7 days')
    .option('--to <time>', 'default: now')
    .option('--type <types...>', 'default: all types of the webhook')
    .action(async (id: number, { type, json: asJson, ...period }: Replaying) => {
      const body = { ...period, ...(type && { event_types: type }) }
      const { data } = await whileOn(id, async () => unwrap(await open().api.POST(`${ONE}/replay`, { ...of(id), body })))
      write(asJson ? `${JSON.stringify(data)}\n` : `${data.count} ${data.count === 1 ? 'event is' : 'events are'} sent again\n`)
      if (isOld(data.oldest_occurred_at))
        say(`The oldest is of ${data.oldest_occurred_at}. A receiver must verify webhook-timestamp: X-Service-Timestamp stays that old.\n`)
    })
} // oxfmt-ignore

const json = (command: Command) => command.option('--json', 'one JSON object per line, for programs')
const one = (webhooks: Command, name: string) =>
  webhooks.command(name).argument('<id>', 'as "webhooks list" shows it', webhookId)
const of = (webhook_id: number) => ({ params: { path: { webhook_id } } })

function webhookId(text: string): number {
  const id = Number(text)
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(id))
    throw new InvalidArgumentError('It must be an id of "whereabouts webhooks list".')
  return id
}

async function* deliveries(id: number, filter: Filter, limit: number): AsyncGenerator<Delivery> {
  const path = { webhook_id: id }
  let after: string | null = null
  do {
    const query = { ...filter, limit: Math.min(limit, 500), ...(after !== null && { after }) }
    const page: components['schemas']['EndpointDeliveryPage'] = unwrap(
      await open().api.GET(`${ONE}/deliveries`, { params: { path, query } }),
    )
    yield* page.data
    after = page.has_more ? page.cursor : null
  } while (after !== null)
}

/** Says how to switch it on where that is what is missing. */
async function whileOn<T>(id: number, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error
    throw new UsageError(`${error.error?.detail ?? error.message}: whereabouts webhooks enable ${id}`, 1)
  }
}

/** The secret is the only line of the output, for scripts. */
function showSecret({ id, secret, ...row }: Webhook, asJson?: true): void {
  write(asJson ? `${JSON.stringify({ id, secret, ...row })}\n` : `${secret}\n`)
  say(`The secret of webhook ${id} is shown only now.\n`)
}

const isOld = (instant: string | null) =>
  instant !== null && Date.parse(instant) < Date.now() - MINUTES_OF_TOLERANCE * 60_000
