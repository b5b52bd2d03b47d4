import { Button, Group, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { type Added, addedText, addKeys, splitKeys } from './keys.ts'

type Props = { keys: readonly string[]; onKeys: (keys: readonly string[]) => void }

/** A scanner types a key and presses Enter; the field keeps the focus. Several keys can be pasted. */
export function KeyEntry({ keys, onKeys }: Props) {
  const [added, setAdded] = useState<Added>()
  const add = (text: string) => {
    const result = addKeys(keys, text)
    setAdded(result)
    onKeys(result.keys)
  }
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <ScanField onKey={add} />
        <PasteField onKeys={add} />
        <Text size="sm" role="status" mih="1.5em">
          {added && addedText(added)}
        </Text>
      </Stack>
    </Paper>
  )
}

function ScanField({ onKey }: { onKey: (text: string) => void }) {
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') onKey(text)
        setText('')
        field.current?.focus()
      }}
    >
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          ref={field}
          label="Scan or type a key"
          description="Enter an external key and press Enter."
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          style={{ flex: 1 }}
        />
        <Button type="submit" variant="default">
          Add
        </Button>
      </Group>
    </form>
  )
}

function PasteField({ onKeys }: { onKeys: (text: string) => void }) {
  const [text, setText] = useState('')
  const count = splitKeys(text).length
  return (
    <Stack gap="xs">
      <Textarea
        label="Paste several keys"
        description="Separated by spaces, commas, semicolons or line breaks."
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
      />
      <Group justify="flex-end">
        <Button
          variant="default"
          disabled={count === 0}
          onClick={() => {
            onKeys(text)
            setText('')
          }}
        >
          {count === 0 ? 'Add pasted keys' : `Add ${new Intl.NumberFormat().format(count)} pasted`}
        </Button>
      </Group>
    </Stack>
  )
}
