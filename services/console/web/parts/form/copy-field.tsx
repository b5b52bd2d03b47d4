import { Button, Group, Input } from '@mantine/core'
import { useId, useRef, useState } from 'react'
import IconCheck from '@tabler/icons-react/icons/IconCheck'
import IconCopy from '@tabler/icons-react/icons/IconCopy'
import './copy-field.css'
import { Icon } from '../page/icon.tsx'

type Props = { label: string; value: string; description?: string; isSecret?: boolean }

const SHOWN_MS = 2_000

/** A read-only value with a copy button. A long value wraps, because a value that is cut off cannot be checked. */
export function CopyField({ label, value, description, isSecret = false }: Props) {
  const id = useId()
  const input = useRef<HTMLTextAreaElement>(null)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(value, input.current))) return
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <Input.Wrapper
        id={id}
        label={label}
        description={description}
        descriptionProps={{ id: `${id}-help` }}
        style={{ flex: 1, minWidth: 0 }}
      >
        <div className="copy-value" data-value={value}>
          <textarea
            ref={input}
            id={id}
            aria-describedby={description === undefined ? undefined : `${id}-help`}
            value={value}
            rows={1}
            readOnly
            spellCheck={false}
            onFocus={(event) => event.currentTarget.select()}
            data-secret={isSecret || undefined}
          />
        </div>
      </Input.Wrapper>
      <Button
        variant="default"
        leftSection={<Icon of={isCopied ? IconCheck : IconCopy} size={16} />}
        onClick={() => void copy()}
        aria-label={`${isCopied ? 'Copied' : 'Copy'} ${label}`}
        style={{ flexShrink: 0 }}
      >
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </Group>
  )
}

/** Copies to the clipboard. Over plain HTTP browsers forbid that: then the text is selected instead. */
async function copyText(value: string, input: HTMLTextAreaElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
    return true
  } catch {
    input?.select()
    return false
  }
}
