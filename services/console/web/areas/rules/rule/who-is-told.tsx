import { Switch } from '@mantine/core'
import type { Rule } from '../words/sentence.ts'

type Props = { value: Rule['notify']; onChange: (notify: Rule['notify']) => void }

/** Who hears of an alert. Everybody finds it in the console. */
export const WhoIsTold = ({ value, onChange }: Props) => (
  <Switch
    label="Send events to webhooks"
    description="alert.raised and alert.resolved, to those who receive them"
    checked={value.event}
    onChange={({ currentTarget }) => onChange({ ...value, event: currentTarget.checked })}
  />
)
