import { Button, Group, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type KeyboardEvent, type RefObject, useState, useEffect } from 'react'
import { splitValues } from './draft.ts'

type Props = {
  field: RefObject<HTMLInputElement | null>
  /** Returns the values for which the list has no room. */
  onValues: (values: readonly string[]) => readonly string[]
  /** What became of the last values. */
  status: string
}

/** Where values are scanned, typed or pasted. */
export function ValueEntry({ field, onValues, status }: Props) {
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <ScanField field={field} onValues={onValues} />
        <Text size="sm" role="status" mih="1.5em" style={{ overflowWrap: 'anywhere' }}>
          {status}
        </Text>
        <PasteField onValues={onValues} />
      </Stack>
    </Paper>
  )
}

/**
 * A scanner types a value and presses Enter or Tab. The value is read from the input when that key arrives, so no
 * character waits for a render. In an empty field, Tab moves on as usual.
 */
function ScanField({ field, onValues }: Pick<Props, 'field' | 'onValues'>) {
  useScansAnywhere(field)
  const takeAtEnd = (event: KeyboardEvent<HTMLInputElement>) => {
    const endsValue = event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)
    if (!endsValue || event.nativeEvent.isComposing) return
    if (event.key === 'Tab' && event.currentTarget.value.trim() === '') return
    event.preventDefault()
    takeFrom(event.currentTarget, onValues)
  }
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        ref={field}
        label="Scan or type a barcode, tag or key"
        description="A scanner adds it by itself. Otherwise press Enter."
        onKeyDown={takeAtEnd}
        onPaste={(event) => {
          const values = splitValues(event.clipboardData.getData('text'))
          if (values.length < 2) return
          event.preventDefault() // an input would join the lines
          onValues(values)
        }}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        enterKeyHint="done"
        spellCheck={false}
        style={{ flex: 1 }}
      />
      <Button variant="default" onClick={() => field.current && takeFrom(field.current, onValues)}>
        Add
      </Button>
    </Group>
  )
}

/** A value for which the list has no room stays in the field. */
function takeFrom(input: HTMLInputElement, onValues: Props['onValues']): void {
  const value = input.value.trim()
  input.value = value === '' ? '' : onValues([value]).join('')
  input.focus()
}

function PasteField({ onValues }: Pick<Props, 'onValues'>) {
  const [text, setText] = useState('')
  const values = splitValues(text)
  return (
    <Stack gap="xs">
      <Textarea
        label="Paste several"
        description="One per line, or separated by commas, semicolons or tabs."
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        rows={3} // measuring thousands of lines to fit them would take long
        spellCheck={false}
      />
      <Group justify="flex-end">
        <Button
          variant="default"
          disabled={values.length === 0}
          onClick={() => setText(onValues(values).join('\n'))}
        >
          {values.length === 0 ? 'Add pasted' : `Add ${new Intl.NumberFormat().format(values.length)} pasted`}
        </Button>
      </Group>
    </Stack>
  )
}

/**
 * Sends a scan to the field if the focus is on a button, a link or nothing: otherwise its characters would be lost, and
 * its Enter would press the button.
 */
function useScansAnywhere(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const redirect = (event: globalThis.KeyboardEvent) => {
      const isCharacter = event.key.length === 1 && event.key !== ' '
      if (!isCharacter || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (event.target instanceof Element && event.target.closest(TAKES_TEXT)) return
      field.current?.focus() // the browser types into the field that has the focus after this event
    }
    document.addEventListener('keydown', redirect)
    return () => document.removeEventListener('keydown', redirect)
  }, [field])
}

const TAKES_TEXT = 'input, textarea, select, [contenteditable], [role=dialog], [role=listbox], [role=menu]'
