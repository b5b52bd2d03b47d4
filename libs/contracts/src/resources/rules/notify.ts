import { z } from 'zod'
import { openEnum } from '../../rules/open-enum.ts'
import { addProblem, text } from '../../rules/text.ts'

/** The programs whose channels take a message at a URL. `generic` gets JSON. */
export const chatKinds = ['slack', 'teams', 'google_chat', 'generic'] as const
export type ChatKind = (typeof chatKinds)[number]

/** Instead of an address: those who are administrators when the mail is sent. */
export const ADMINS = 'admins'

const MOST_RECIPIENTS = 20
const MOST_CHATS = 5

const ABOUT = {
  event: {
    description: 'Whether `alert.raised` and `alert.resolved` are sent. Default: true.',
    example: true,
  },
  email: {
    description:
      'Who gets a mail: verified addresses of members, and `admins` for all administrators. The first alert is mailed at once, ' +
      'further ones together after five minutes, in at most 20 mails a day and rule.',
    example: ['admins'],
  },
  chat: {
    description:
      'Channels that get the same. Their addresses are secrets: they are shown without their path.',
  },
  remind_minutes: {
    description: 'How often to tell again of alerts that nobody has acknowledged. Null: never.',
    example: 60,
  },
  kind: { description: 'The program of the channel. `generic` gets JSON.', example: 'slack' },
  url: {
    description:
      'The https address that takes messages. One that is sent back as it is shown stays as it is.',
    example: 'https://hooks.example.com/…x7Qz',
  },
} as const

const remindMinutes = z.int().min(15).max(10_080).nullable()

const Recipient = text(1, 320)
const Recipients = z
  .array(Recipient)
  .max(MOST_RECIPIENTS)
  .check((payload) => {
    if (new Set(payload.value.map((one) => one.toLowerCase())).size < payload.value.length)
      addProblem(payload, { code: 'invalid_value', message: '{f} must not contain a value twice' })
  })

const ChatInput = z
  .strictObject({ kind: z.enum(chatKinds).meta(ABOUT.kind), url: text(1, 2_048).meta(ABOUT.url) })
  .meta({ id: 'RuleChatInput' })

/** What is left out stays as it was, or has its default. A list replaces the one before. */
export const NotifyInput = z
  .strictObject({
    event: z.boolean().optional().meta(ABOUT.event),
    email: Recipients.optional().meta(ABOUT.email),
    chat: z.array(ChatInput).max(MOST_CHATS).optional().meta(ABOUT.chat),
    remind_minutes: remindMinutes.optional().meta(ABOUT.remind_minutes),
  })
  .meta({ id: 'RuleNotifyInput' })

export const RuleNotify = z
  .object({
    event: z.boolean().meta(ABOUT.event),
    email: z.array(z.string()).meta(ABOUT.email),
    chat: z
      .array(
        z
          .object({ kind: openEnum(chatKinds, ABOUT.kind.description), url: z.string().meta(ABOUT.url) })
          .meta({ id: 'RuleChat' }),
      )
      .meta(ABOUT.chat),
    remind_minutes: z.int().nullable().meta(ABOUT.remind_minutes),
  })
  .meta({
    id: 'RuleNotify',
    example: { event: true, email: ['admins'], chat: [], remind_minutes: null },
  })
export type RuleNotify = z.infer<typeof RuleNotify>

const mailOutcomes = ['sent', 'not configured', 'address not verified'] as const
export type AlertMailOutcome = (typeof mailOutcomes)[number]

/** What became of one test message to each address and channel. */
export const RuleTestResult = z
  .object({
    email: z
      .array(
        z
          .object({
            to: z.string().meta({ description: 'The address.', example: 'ada@example.com' }),
            mail: openEnum(
              mailOutcomes,
              '`sent`: handed to the mail server. `address not verified`: not, or no longer, the verified address of a member.',
            ),
          })
          .meta({ id: 'RuleTestMail' }),
      )
      .meta({ description: 'The mails, one to each person.' }),
    chat: z
      .array(
        z
          .object({
            kind: openEnum(chatKinds, ABOUT.kind.description),
            status_code: z
              .int()
              .nullable()
              .meta({ description: 'What the channel answered. Null if it did not.', example: 200 }),
            error: z
              .string()
              .nullable()
              .meta({ description: 'What went wrong; null if it was taken.', example: null }),
          })
          .meta({ id: 'RuleTestChat' }),
      )
      .meta({ description: 'The channels, in their order.' }),
  })
  .meta({
    id: 'RuleTest',
    example: {
      email: [{ to: 'ada@example.com', mail: 'sent' }],
      chat: [{ kind: 'slack', status_code: 200, error: null }],
    },
  })
export type RuleTestResult = z.infer<typeof RuleTestResult>
