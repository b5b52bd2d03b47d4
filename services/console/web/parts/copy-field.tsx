import { Button, Group, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'

type Props = { label: string; value: string; description?: string; isSecret?: boolean }

const SHOWN_MS = 2_000

/** A value to take elsewhere. */
export function CopyField({ label, value, description, isSecret = false }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await isTaken(value, input.current))) return
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        ref={input}
        label={label}
        description={description}
        value={value}
        readOnly
        style={{ flex: 1 }}
        styles={{ input: { fontFamily: 'monospace' } }}
        onFocus={(event) => event.currentTarget.select()}
        data-secret={isSecret || undefined}
      />
      <Button
        variant="default"
        onClick={() => void copy()}
        aria-label={`${isCopied ? 'Copied' : 'Copy'} ${label}`}
      >
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </Group>
  )
}

/** To the clipboard; where the browser keeps it from pages, as over plain HTTP, what is to be copied is selected. */
async function isTaken(value: string, input: HTMLInputElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
    return true
  } catch {
    input?.select()
    return false
  }
}
