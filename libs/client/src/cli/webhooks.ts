import { buffer } from 'node:stream/consumers'
import { stdin } from 'node:process'
import type { Command } from 'commander'
import { verifyWebhook, WebhookVerificationError } from '../webhooks.ts'
import { write, wholeNumber } from './output.ts'
import { UsageError } from './settings.ts'

type Given = { secret?: string; timestamp: string; signature: string; tolerance: number }

export function addWebhookCommands(program: Command): void {
  program
    .command('verify-webhook')
    .description('check the signature of a delivery, whose body is standard input, and print the event')
    .requiredOption('--timestamp <seconds>', 'X-Service-Timestamp')
    .requiredOption('--signature <text>', 'X-Service-Signature')
    .option('--secret <secret>', 'default: WHEREABOUTS_WEBHOOK_SECRET, which other users cannot see')
    .option('--tolerance <seconds>', 'how old it may be', wholeNumber, 300)
    .action(async ({ secret = process.env['WHEREABOUTS_WEBHOOK_SECRET'], timestamp, signature, tolerance }: Given) => {
      if (!secret) throw new UsageError('Set WHEREABOUTS_WEBHOOK_SECRET, or use --secret.')
      const headers = { 'x-service-timestamp': timestamp, 'x-service-signature': signature }
      try {
        const event = await verifyWebhook(await buffer(stdin), headers, secret, { toleranceSeconds: tolerance })
        write(`${JSON.stringify(event)}\n`)
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error
        throw new UsageError(`${error.code}: ${error.message}`, 1)
      }
    })
} // oxfmt-ignore
