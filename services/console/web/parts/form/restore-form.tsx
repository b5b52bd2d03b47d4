import { Alert, Anchor, List, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { externalKey, filled } from './checks.ts'
import { SendForm } from './send-form.tsx'
import { useSend } from './use-send.ts'
import { When } from '../time/when.tsx'
import { tagTypeLabel } from '../things/tag-types.ts'
import type { Holder, LostTag, TagToRestore } from '../load/restore.ts'
import { shownValue } from '../things/tag-values.ts'
import { ForMembers } from '../../session/for-members.tsx'

type Thing = { name: string; external_key: string; deleted_at: string | null }

type Props = {
  /** For example `asset`. */
  noun: 'asset' | 'location'
  thing: Thing
  tags: readonly TagToRestore[]
  keyHeldBy: Holder | null
  /** What comes back besides the tags, in a sentence. */
  effect: string
  /** `key`: undefined keeps the old one. */
  restore: (key: string | undefined) => Promise<{ name: string }>
  reload: readonly (readonly unknown[])[]
  /** Called after a failure: somebody may have taken the key meanwhile. */
  onFailure: () => void
  /** Further inputs, and their field. */
  children?: ReactNode
  field?: string
}

/** Says when something was deleted and what comes back, and restores it. */
export function RestoreForm({ noun, thing, tags, keyHeldBy, effect, restore, reload, ...more }: Props) {
  const [key, setKey] = useState('')
  const send = useSend(async () => restore(keyHeldBy ? key : undefined), {
    reload,
    onFailure: more.onFailure,
    onDone: ({ name }) => notifications.show({ message: `${name} restored.` }),
    check: () => ({
      external_key: keyHeldBy ? (filled(key, 'Enter another key.') ?? externalKey(key)) : undefined,
    }),
  })
  const lost = tags.filter((tag): tag is LostTag => tag.held_by !== null)
  return (
    <Alert color="gray" variant="light" title={<Title noun={noun} thing={thing} />}>
      <ForMembers isExplained>
        <SendForm
          send={send}
          label="Restore"
          shownFields={['external_key', ...(more.field === undefined ? [] : [more.field])]}
        >
          <Text size="sm">{`${comesBack(thing, tags.length - lost.length, keyHeldBy)} ${effect}`}</Text>
          {lost.length > 0 && <LostTags tags={lost} />}
          {keyHeldBy && (
            <Stack gap={4} maw={420}>
              <TextInput
                label="New external key"
                description={
                  <>
                    {`The key ${thing.external_key} belongs to `}
                    <HolderLink holder={keyHeldBy} />
                    {' now. Choose another one.'}
                  </>
                }
                {...send.entry('external_key', key, setKey)}
                spellCheck={false}
                required
              />
            </Stack>
          )}
          {more.children}
        </SendForm>
      </ForMembers>
    </Alert>
  )
}

const Title = ({ noun, thing: { deleted_at: at } }: Pick<Props, 'noun' | 'thing'>) => (
  <>
    {`This ${noun} was deleted `}
    {at !== null && <When at={at} />}
  </>
)

function comesBack({ external_key: key }: Thing, tags: number, keyHeldBy: Holder | null): string {
  const underKey = keyHeldBy ? ' under a new key' : ` under its key ${key}`
  const withTags = tags === 0 ? '' : tags === 1 ? ' with its tag' : ` with its ${tags} tags`
  return `It can be restored at any time. It comes back${underKey}${withTags}.`
}

const LostTags = ({ tags }: { tags: readonly LostTag[] }) => (
  <div>
    <Text size="sm">These tags do not come back, because they belong to others now:</Text>
    <List size="sm">
      {tags.map(({ tag_type, value, held_by }) => (
        <List.Item key={`${tag_type} ${value}`} style={{ overflowWrap: 'anywhere' }}>
          {`${tagTypeLabel(tag_type)} ${shownValue(value)}: `}
          <HolderLink holder={held_by} />
        </List.Item>
      ))}
    </List>
  </div>
)

/** Underlined, because it is inside a sentence. */
const HolderLink = ({ holder: { resource, id, name } }: { holder: Holder }) => (
  <Anchor component={Link} to={`/${resource}s/${id}`} inherit underline="always">
    {name}
  </Anchor>
)
