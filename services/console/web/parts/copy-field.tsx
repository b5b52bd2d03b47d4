import { Button, Group, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'

type Props = { label: string; value: string; description?: string; isSecret?: boolean }

const SHOWN_MS = 2_000

/** A read-only value with a copy button. */
export function CopyField({ label, value, description, isSecret = false }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(value, input.current))) return
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

/** Copies to the clipboard. Over plain HTTP browsers forbid that: then the text is selected instead. */
async function copyText(value: string, input: HTMLInputElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
    return true
  } catch {
    input?.select()
    return false
  }
}
