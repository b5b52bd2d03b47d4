import { Menu, Text, UnstyledButton, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { Link } from '@tanstack/react-router'
import IconCheck from '@tabler/icons-react/icons/IconCheck'
import { failureOf } from '../parts/load/failure.ts'
import { Icon } from '../parts/page/icon.tsx'
import { roleName } from '../parts/things/roles.ts'
import { TIME_STYLES, useTimeStyle } from '../parts/time/time-style.ts'
import { useMe } from '../parts/load/use-me.ts'
import { useSettings } from '../parts/load/use-settings.ts'
import { signOut, switchOrganization } from '../session/session.ts'
import { useSession } from '../session/use-session.ts'
import { DENSITIES, setDensity, useDensity } from './density.ts'

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

/** Who is signed in, where and as what; account, other organizations, appearance and sign-out. */
export function PersonMenu() {
  const { user, org } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const density = useDensity()
  const [timeStyle, setTimeStyle] = useTimeStyle()
  const me = useMe()
  const others = (me.data?.orgs ?? []).filter(({ id }) => id !== org.id)
  return (
    // Inside the header, not at the end of the page: screen readers find all content in landmarks.
    <Menu position="bottom-end" width={260} withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton className="person" aria-label={`${org.name}, ${user.name}: menu`}>
          <Text span size="sm" className="person-organization" title={org.name}>
            {org.name}
          </Text>
          {/* Drawn by CSS: as text, they would have to be in the name of the button. */}
          <span className="person-initials" data-initials={initialsOf(user.name)} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="person-text">
          {`${user.name} · ${roleName(user.role)} of ${org.name}`}
          <br />
          {user.email}
        </Menu.Label>
        <Menu.Item component={Link} to="/account">
          Account
        </Menu.Item>
        {others.length > 0 && <Menu.Divider />}
        {others.length > 0 && <Menu.Label>Switch to</Menu.Label>}
        {others.map(({ id, name }) => (
          <Menu.Item key={id} className="person-text" onClick={() => void attempt(switchOrganization(id))}>
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        {SCHEMES.map(([scheme, name]) => (
          <Choice
            key={scheme}
            name={name}
            isChosen={scheme === colorScheme}
            onChoose={() => setColorScheme(scheme)}
          />
        ))}
        <Menu.Label>Rows of tables</Menu.Label>
        {DENSITIES.map(([each, name]) => (
          <Choice key={each} name={name} isChosen={each === density} onChoose={() => setDensity(each)} />
        ))}
        <Menu.Label>Times</Menu.Label>
        {TIME_STYLES.map(([each, name]) => (
          <Choice key={each} name={name} isChosen={each === timeStyle} onChoose={() => setTimeStyle(each)} />
        ))}
        <Menu.Divider />
        <Menu.Item component="a" href="/docs/">
          Documentation
        </Menu.Item>
        <Menu.Item component="a" href="/api">
          API reference
        </Menu.Item>
        <Menu.Item component="a" href="/notice.txt">
          Third-party licenses
        </Menu.Item>
        <Menu.Item onClick={() => void attempt(signOut())}>Sign out</Menu.Item>
        <Version />
      </Menu.Dropdown>
    </Menu>
  )
}

type ChoiceProps = { name: string; isChosen: boolean; onChoose: () => void }

const Choice = ({ name, isChosen, onChoose }: ChoiceProps) => (
  <Menu.Item
    onClick={onChoose}
    aria-current={isChosen}
    rightSection={isChosen ? <Icon of={IconCheck} size={16} /> : undefined}
  >
    {name}
  </Menu.Item>
)

/** Its own component, so that only an open menu asks for it. Without an answer, nothing is shown. */
function Version() {
  const version = useSettings().data?.version
  return version !== undefined && <Menu.Label>Version {version}</Menu.Label>
}

/** Of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.split(/\s+/u).filter((word) => word !== '')
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => Array.from(word ?? '')[0],
  )
  return letters.join('').toUpperCase()
}
