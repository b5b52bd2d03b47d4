import { buffer } from 'node:stream/consumers'
import { stdin } from 'node:process'
import type { Command } from 'commander'
import { verifyWebhook, WebhookVerificationError } from '../webhooks.ts'
import { write, wholeNumber } from './output.ts'
import { UsageError } from './settings.ts'

type Given = { id?: string; secret?: string; timestamp: string; signature: string; tolerance: number }

export function addVerifyCommand(program: Command): void {
  program
    .command('verify-webhook')
    .description('check the signature of a delivery, whose body is standard input, and print the event')
    .option('--id <id>', 'webhook-id; without it, the two others are those of X-Service-Signature')
    .requiredOption('--timestamp <seconds>', 'webhook-timestamp, or X-Service-Timestamp')
    .requiredOption('--signature <text>', 'webhook-signature, or X-Service-Signature')
    .option('--secret <secret>', 'default: WHEREABOUTS_WEBHOOK_SECRET, which other users cannot see')
    .option('--tolerance <seconds>', 'how old it may be', wholeNumber, 300)
    .action(async ({ secret = process.env['WHEREABOUTS_WEBHOOK_SECRET'], tolerance, ...given }: Given) => {
      if (!secret) throw new UsageError('Set WHEREABOUTS_WEBHOOK_SECRET, or use --secret.')
      try {
        const event = await verifyWebhook(await buffer(stdin), headersOf(given), secret, { toleranceSeconds: tolerance })
        write(`${JSON.stringify(event)}\n`)
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error
        throw new UsageError(`${error.code}: ${error.message}`, 1)
      }
    })
} // oxfmt-ignore

const headersOf = ({ id, timestamp, signature }: Omit<Given, 'secret' | 'tolerance'>) =>
  id === undefined
    ? { 'x-service-timestamp': timestamp, 'x-service-signature': signature }
    : { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
