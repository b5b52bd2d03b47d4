import { Button, Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { failureOf } from '../parts/failure.ts'
import { api } from '../session/api.ts'
import { signOut, switchOrganization } from '../session/session.ts'
import { useSession } from '../session/use-session.ts'

const SCHEMES: readonly [MantineColorScheme, string][] = [
  ['auto', 'System default'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

const attempt = (work: Promise<void>) =>
  work.catch((error: unknown) => {
    const { title, detail } = failureOf(error)
    notifications.show({ color: 'red', title, message: detail })
  })

/** Organization, appearance and sign-out. */
export function PersonMenu() {
  const { user, org } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const me = useQuery({
    queryKey: ['me'],
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/v1/users/me', { signal })).data,
  })
  const others = (me.data?.orgs ?? []).filter(({ id }) => id !== org.id)
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="subtle" size="compact-sm" aria-label={`${org.name}, ${user.name}: menu`}>
          <span className="organization">{org.name}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{`${user.name} · ${user.email}`}</Menu.Label>
        {others.length > 0 && <Menu.Divider />}
        {others.length > 0 && <Menu.Label>Switch to</Menu.Label>}
        {others.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => void attempt(switchOrganization(id))}>
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        {SCHEMES.map(([scheme, name]) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            aria-current={scheme === colorScheme}
          >
            {scheme === colorScheme ? `✓ ${name}` : name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component="a" href="/api">
          API reference
        </Menu.Item>
        <Menu.Item onClick={() => void attempt(signOut())}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
