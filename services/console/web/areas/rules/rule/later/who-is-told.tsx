import { Button, Group, NativeSelect, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import {
  addressesIn,
  ADMINS,
  CHATS,
  linesOf,
  MOST_CHATS,
  reminders,
  type Notify,
} from '../../words/notify.ts'

type Props = {
  value: Notify
  onChange: (notify: Notify) => void
  /** By the field of the API. */
  problem: (field: string) => string | undefined
}

/** Who hears of an alert. Everybody finds it in the console. */
export default function WhoIsTold({ value, onChange, problem }: Props) {
  const { email, chat, remind_minutes } = value
  const change = (part: Partial<Notify>) => onChange({ ...value, ...part })
  const admins = email.includes(ADMINS)
  const withAdmins = (is: boolean, others: readonly string[]) => [...(is ? [ADMINS] : []), ...others]
  const setChat = (at: number, part: Partial<Notify['chat'][number]>) =>
    change({ chat: chat.map((one, i) => (i === at ? { ...one, ...part } : one)) })
  return (
    <Stack gap="sm" role="group" aria-labelledby="who-is-told">
      <Text id="who-is-told" fw={600}>
        Who is told
      </Text>
      <Text size="sm" c="dimmed">
        The first alert is told at once, further ones together after five minutes, at most 20 times a day.
      </Text>
      <Switch
        label="Mail all administrators"
        checked={admins}
        onChange={({ currentTarget }) =>
          change({ email: withAdmins(currentTarget.checked, addressesIn(email)) })
        }
      />
      <Textarea
        label="Mail these members"
        description="Confirmed addresses of members, one a line"
        autosize
        minRows={1}
        value={addressesIn(email).join('\n')}
        onChange={({ currentTarget }) => change({ email: withAdmins(admins, linesOf(currentTarget.value)) })}
        error={problem('notify.email')}
      />
      {chat.map((one, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- the place tells two channels apart; the address changes by typing
        <Group key={at} align="flex-start" wrap="nowrap" gap="xs">
          <NativeSelect
            label={`Channel ${at + 1}`}
            data={[...CHATS]}
            value={one.kind}
            onChange={({ currentTarget }) => setChat(at, { kind: currentTarget.value })}
          />
          <TextInput
            label={`Address of channel ${at + 1}`}
            type="url"
            flex={1}
            value={one.url}
            onChange={({ currentTarget }) => setChat(at, { url: currentTarget.value })}
            error={problem(`notify.chat[${at}].url`)}
          />
          <Button
            variant="default"
            mt={25}
            aria-label={`Remove channel ${at + 1}`}
            onClick={() => change({ chat: chat.filter((_, i) => i !== at) })}
          >
            Remove
          </Button>
        </Group>
      ))}
      {chat.length < MOST_CHATS && (
        <Button
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => change({ chat: [...chat, { kind: 'slack', url: '' }] })}
        >
          Add a channel
        </Button>
      )}
      <NativeSelect
        label="Tell again while nobody acknowledges"
        data={reminders(remind_minutes)}
        value={String(remind_minutes ?? '')}
        onChange={({ currentTarget: { value: chosen } }) =>
          change({ remind_minutes: chosen === '' ? null : Number(chosen) })
        }
      />
      <Switch
        label="Send events to webhooks"
        description="alert.raised and alert.resolved, to those who receive them"
        checked={value.event}
        onChange={({ currentTarget }) => change({ event: currentTarget.checked })}
      />
    </Stack>
  )
}
