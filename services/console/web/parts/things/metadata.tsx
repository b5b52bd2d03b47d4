import { Code, Switch, Text } from '@mantine/core'
import { useState } from 'react'

/** Metadata as labels and values, or as it is stored. */
export function Metadata({ value }: { value: Record<string, unknown> }) {
  const [isRaw, setRaw] = useState(false)
  const entries = Object.entries(value)
  if (entries.length === 0) return '–'
  return (
    <>
      {isRaw ? (
        <Code block tabIndex={0}>
          {JSON.stringify(value, null, 2)}
        </Code>
      ) : (
        <dl style={{ margin: 0 }}>
          {entries.map(([label, each]) => (
            <div key={label}>
              <Text component="dt" size="xs" c="dimmed">
                {label}
              </Text>
              <dd style={{ margin: 0 }}>{typeof each === 'string' ? each : JSON.stringify(each)}</dd>
            </div>
          ))}
        </dl>
      )}
      <Switch
        size="xs"
        mt={6}
        label="As JSON"
        checked={isRaw}
        onChange={(event) => setRaw(event.currentTarget.checked)}
      />
    </>
  )
}
