import type { components } from '@whereabouts/client/client'

type Health = components['schemas']['ReaderHealth']

const format = new Intl.NumberFormat()

/** How many messages of the last hour had a problem, such as "5 of 100 messages in the last hour". */
export const lastHourText = ({
  problems_last_hour: problems,
  messages_last_hour: messages,
}: Pick<Health, 'problems_last_hour' | 'messages_last_hour'>): string =>
  `${format.format(problems)} of ${format.format(messages)} ${messages === 1 ? 'message' : 'messages'} in the last hour`
