import type { AlertNotice } from '@whereabouts/contracts/messages/alerts/alert-notices'
import type { ChatKind } from '@whereabouts/contracts/resources/rules/notify'

/** The body that a channel takes. Names are what anybody typed: they must not mention people or hide links. */
export function chatPayload(kind: ChatKind, notice: AlertNotice): object {
  if (kind === 'generic') return notice
  const { title, lines, notes } = notice
  const paragraphs = [title, lines.map((line) => `• ${line}`).join('\n'), ...notes].filter(Boolean)
  if (kind === 'slack') return { text: slackText(paragraphs.join('\n\n')) }
  if (kind === 'google_chat') return { text: googleText(paragraphs.join('\n\n')) }
  return adaptiveCard(paragraphs)
}

/** Slack reads `<!channel>`, `<@U1>` and `<https://…|text>` in angle brackets. */
const slackText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Google Chat reads `<users/all>` and `<https://…|text>`, and has no way to write an angle bracket. */
const googleText = (text: string) => text.replaceAll('<', '‹').replaceAll('>', '›')

/** Workflows of Teams take a card. It reads Markdown. */
const adaptiveCard = (paragraphs: readonly string[]) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: paragraphs.map((text, i) => ({
          type: 'TextBlock',
          wrap: true,
          ...(i === 0 && { weight: 'Bolder' }),
          text: text.replaceAll(/[\\[\]*_`#<>]/g, (sign) => `\\${sign}`),
        })),
      },
    },
  ],
})
