import { ActionIcon, Button, Group, Menu, Text, TextInput } from '@mantine/core'
import { useDisclosure, useLocalStorage } from '@mantine/hooks'
import IconBookmark from '@tabler/icons-react/icons/IconBookmark'
import IconTrash from '@tabler/icons-react/icons/IconTrash'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { useSession } from '../../../session/use-session.ts'
import { FormModal } from '../../form/form-modal.tsx'
import { atMost, filled, firstOf } from '../../form/checks.ts'
import { Icon } from '../../page/icon.tsx'
import { MOST_VIEWS, type SavedView, searchOf, viewsIn, withView } from '../saved-views.ts'

/** Lists with a filter that people come back to. */
export type Props = { list: 'assets' | 'movements' | 'alerts' | 'audit' }

/** Filters of a list under names, kept in this browser for the signed-in person. */
export default function OpenedViews({ list }: Props) {
  const { org, user } = useSession()
  const [views, setViews] = useLocalStorage<SavedView[]>({
    key: `whereabouts-views-${org.id}-${user.id}-${list}`,
    defaultValue: [],
    deserialize: viewsIn,
    getInitialValueInEffect: false,
  })
  const search = searchOf(useSearch({ strict: false }))
  const navigate = useNavigate()
  const [isSaving, saving] = useDisclosure(false)
  const [isOpen, setOpen] = useState(false)
  // The click that loaded it. One frame later, because the place of the button is known only then.
  useEffect(() => {
    const frame = requestAnimationFrame(() => setOpen(true))
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <>
      <Menu
        opened={isOpen}
        onChange={setOpen}
        position="bottom-end"
        width={280}
        withinPortal={false}
        withInitialFocusPlaceholder={false}
      >
        <Menu.Target>
          <Button variant="default" leftSection={<Icon of={IconBookmark} size={16} />}>
            Views
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length === 0 && (
            <Menu.Label>Save a filter that you use often. It is kept in this browser.</Menu.Label>
          )}
          {views.map((view) => (
            <Menu.Item
              key={view.name}
              onClick={() => void navigate({ to: '.', search: () => view.search as never })}
            >
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={saving.open}>Save or remove views…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <FormModal opened={isSaving} onClose={saving.close} title="Views">
        <EditViews
          views={views}
          onSave={(name) => {
            setViews(withView(views, { name, search }))
            saving.close()
          }}
          onRemove={(name) => setViews(views.filter((view) => view.name !== name))}
        />
      </FormModal>
    </>
  )
}

type EditProps = {
  views: readonly SavedView[]
  onSave: (name: string) => void
  onRemove: (name: string) => void
}

function EditViews({ views, onSave, onRemove }: EditProps) {
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const isNew = views.every((view) => view.name !== name.trim())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = firstOf(
      filled(name, 'Enter a name for the view.'),
      atMost(name, 60),
      isNew && views.length >= MOST_VIEWS ? `Remove one first: there are ${MOST_VIEWS} already.` : undefined,
    )
    setProblem(found)
    if (found === undefined) onSave(name.trim())
  }
  return (
    <>
      <form onSubmit={submit} noValidate>
        <Group align="flex-start" wrap="nowrap">
          <TextInput
            label="Name"
            description="Saves the filter and the order that the list has now."
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={problem}
            data-autofocus
            style={{ flex: 1 }}
          />
          <Button type="submit" mt={45}>
            {isNew ? 'Save view' : 'Replace view'}
          </Button>
        </Group>
      </form>
      {views.map((view) => (
        <Group key={view.name} justify="space-between" mt="xs" wrap="nowrap">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {view.name}
          </Text>
          <ActionIcon
            variant="default"
            aria-label={`Remove the view ${view.name}`}
            onClick={() => onRemove(view.name)}
          >
            <Icon of={IconTrash} size={16} />
          </ActionIcon>
        </Group>
      ))}
    </>
  )
}
