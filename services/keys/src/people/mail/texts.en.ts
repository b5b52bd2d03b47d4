import type { AlertNotice } from '@whereabouts/contracts/messages/alerts/alert-notices'

/** A small mail: a title, a list, paragraphs, and a button for its link. */
export type Text = { title: string; lines?: string[]; paragraphs: string[]; button?: string }

/** What a mail says, by template. The values come from its row. */
export const TEXTS_EN = {
  password_reset: () => ({
    title: 'Choose a new password',
    paragraphs: [
      'Somebody asked for a new password of your Whereabouts account. The link works once, for an hour.',
      'If it was not you, ignore this mail. Your password stays as it is.',
    ],
    button: 'Choose a new password',
  }),
  invitation: ({ org, invited_by }: { org: string; invited_by: string }) => ({
    title: `Join ${org} on Whereabouts`,
    paragraphs: [
      `${invited_by} invites you to ${org}. The link works once, for seven days.`,
      'If you do not expect this invitation, ignore this mail.',
    ],
    button: 'Accept the invitation',
  }),
  verification: () => ({
    title: 'Confirm your e-mail address',
    paragraphs: [
      'Confirm that this is the e-mail address of your Whereabouts account. The link works for a day.',
      'If you have no account, ignore this mail.',
    ],
    button: 'Confirm the address',
  }),
  email_change: () => ({
    title: 'Confirm your new e-mail address',
    paragraphs: [
      'Confirm that you want to sign in to Whereabouts with this e-mail address. The link works once, for a day.',
      'If you did not ask for it, ignore this mail.',
    ],
    button: 'Confirm the new address',
  }),
  email_changed: ({ email }: { email: string }) => ({
    title: 'Your e-mail address was changed',
    paragraphs: [
      `You now sign in to Whereabouts with ${email}, and no longer with this address.`,
      'If you did not change it, tell an administrator of your organization at once.',
    ],
  }),
  second_factor_on: () => ({
    title: 'One-time codes were switched on',
    paragraphs: [
      'To sign in to Whereabouts, you now need a code of your authenticator app too. Keep the recovery codes in a safe place.',
      'If you did not switch them on, tell an administrator of your organization at once.',
    ],
  }),
  second_factor_off: () => ({
    title: 'One-time codes were switched off',
    paragraphs: [
      'To sign in to Whereabouts, you now need only your password.',
      'If you did not switch them off, change your password and tell an administrator of your organization at once.',
    ],
  }),
  alerts: ({ notice }: { org_id: number; notice: AlertNotice }) => ({
    title: notice.title,
    lines: notice.lines,
    paragraphs: [...notice.notes, 'You get this mail because the rule names you or all administrators.'],
    button: 'Show the alerts',
  }),
} as const satisfies Record<string, (values: never) => Text>

export type Template = keyof typeof TEXTS_EN
export type ValuesOf<T extends Template> =
  Parameters<(typeof TEXTS_EN)[T]> extends [infer V] ? V : Record<string, never>
