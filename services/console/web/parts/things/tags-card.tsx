import { Badge, Button, Group, Select, Table, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { Card } from '../page/card.tsx'
import { ConfirmButton } from '../form/confirm-button.tsx'
import { FormModal } from '../form/form-modal.tsx'
import { SendForm } from '../form/send-form.tsx'
import { offerUndo } from '../form/undo.tsx'
import { TAG_TYPE_CHOICES, tagTypeLabel, tagTypeOf } from './tag-types.ts'
import { useSend } from '../form/use-send.ts'
import { shownValue } from './tag-values.ts'
import { ForMembers } from '../../session/for-members.tsx'

type Tag = components['schemas']['Tag']
type NewTag = components['schemas']['TagCreate']

type Props = {
  tags: readonly Tag[]
  /** For example `this asset`. */
  owner: string
  attach: (tag: NewTag) => Promise<Tag>
  detach: (tagId: number) => Promise<unknown>
  reload: readonly (readonly unknown[])[]
}

/** The tags of an asset or a location. */
export function TagsCard({ tags, owner, attach, detach, reload }: Props) {
  const offerAttach = ({ tag_type, value }: Omit<Tag, 'id'>) => {
    const type = tagTypeOf(tag_type)
    if (!type) return // a newer API has more types than this console
    offerUndo({
      message: `Detached ${shownValue(value)}.`,
      undo: () => attach({ tag_type: type, value }),
      done: `${shownValue(value)} attached again.`,
      reload,
    })
  }
  return (
    <Card
      title="Tags"
      actions={
        <ForMembers>
          <AttachButton attach={attach} owner={owner} reload={reload} />
        </ForMembers>
      }
    >
      {tags.length === 0 ? (
        <Text size="sm" c="dimmed">
          No tags yet.
        </Text>
      ) : (
        <Table verticalSpacing={4}>
          <Table.Tbody>
            {tags.map(({ id, tag_type, value }) => (
              <Table.Tr key={id}>
                <Table.Td w={1}>
                  <Badge variant="light" color="gray" tt="none">
                    {tagTypeLabel(tag_type)}
                  </Badge>
                </Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <Text size="sm" ff="monospace">
                    {shownValue(value)}
                  </Text>
                </Table.Td>
                <Table.Td ta="right">
                  <ForMembers>
                    <ConfirmButton
                      label="Detach"
                      ariaLabel={`Detach ${shownValue(value)}`}
                      size="compact-sm"
                      work={() => detach(id)}
                      reload={reload}
                      onDone={() => offerAttach({ tag_type, value })}
                    >
                      {`After this, ${shownValue(value)} no longer identifies ${owner}. You can attach it again.`}
                    </ConfirmButton>
                  </ForMembers>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Card>
  )
}

const EMPTY: NewTag = { tag_type: 'rfid', value: '' }

function AttachButton({ attach, owner, reload }: Pick<Props, 'attach' | 'owner' | 'reload'>) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const [tag, setTag] = useState(EMPTY)
  const send = useSend(attach, {
    reload,
    onDone: ({ value }) => {
      // A person who typed it another way would not recognize it in the list, and might think that it was lost.
      if (value !== tag.value) notifications.show({ message: `Attached as ${shownValue(value)}.` })
      setTag(EMPTY)
      close()
    },
  })
  return (
    <>
      <Button
        size="xs"
        variant="default"
        onClick={() => {
          send.reset()
          open()
        }}
      >
        Attach tag
      </Button>
      <FormModal opened={isOpen} onClose={close} title={`Attach a tag to ${owner}`}>
        <SendForm
          send={send}
          label="Attach"
          onSubmit={() => send.send(tag)}
          onCancel={close}
          shownFields={['tag_type', 'value']}
        >
          <Group align="flex-start" wrap="nowrap">
            <Select
              label="Type"
              data={TAG_TYPE_CHOICES}
              value={tag.tag_type}
              onChange={(type) => setTag({ ...tag, tag_type: type ?? 'rfid' })}
              allowDeselect={false}
              error={send.fields['tag_type']}
              w={120}
            />
            <TextInput
              label="Value"
              {...send.entry('value', tag.value, (value) => setTag({ ...tag, value }))}
              spellCheck={false}
              style={{ flex: 1 }}
              required
              data-autofocus
            />
          </Group>
        </SendForm>
      </FormModal>
    </>
  )
}
