import { Button, CopyButton, Group, TextInput } from '@mantine/core'

type Props = { label: string; value: string; description?: string; isSecret?: boolean }

/** A value to take elsewhere. */
export function CopyField({ label, value, description, isSecret = false }: Props) {
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        label={label}
        description={description}
        value={value}
        readOnly
        style={{ flex: 1 }}
        styles={{ input: { fontFamily: 'monospace' } }}
        onFocus={(event) => event.currentTarget.select()}
        data-secret={isSecret || undefined}
      />
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy} aria-label={`${copied ? 'Copied' : 'Copy'} ${label}`}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  )
}
