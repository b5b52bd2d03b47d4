import './frame.css'
import { Alert, AppShell, Burger, Container, Group, NavLink, ScrollArea, Text, Progress } from '@mantine/core'
import { useDisclosure, useNetwork } from '@mantine/hooks'
import { Link, Navigate, Outlet, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { Icon } from '../parts/page/icon.tsx'
import { Waiting } from '../parts/load/loaded.tsx'
import { useSessionState } from '../session/use-session.ts'
import { AlertBell } from './alert-bell.tsx'
import { FeedBadge } from './feed-badge.tsx'
import { FindButton } from './find-button.tsx'
import { Logo } from '../parts/page/logo.tsx'
import { PersonMenu } from './person-menu.tsx'
import { GROUPS, SCREENS } from './screens.ts'
import { SignInAgain } from './sign-in-again.tsx'
import { useIsFetching } from '@tanstack/react-query'

/** Frame of all screens for signed-in people. Redirects others to the sign-in page and back. */
export function Frame() {
  const state = useSessionState()
  if (state.status === 'unknown') return <Waiting what="the console" />
  if (state.status === 'signed-out') return <ToSignIn />
  return (
    <>
      <SignedIn />
      {state.status === 'expired' && <SignInAgain session={state.session} />}
    </>
  )
}

/** Keeps the first address: it changes as soon as the navigation starts. */
function ToSignIn() {
  const href = useRouterState({ select: (router) => router.location.href })
  const [to] = useState(href)
  return <Navigate to="/sign-in" search={{ to }} replace />
}

function SignedIn() {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const { online } = useNetwork()
  const path = useRouterState({ select: (router) => router.location.pathname })
  useOnPath(path, close)
  // Until its script is here, the screen before stays, and its heading is not the one.
  const resolved = useRouterState({ select: (router) => router.resolvedLocation?.pathname })
  useOnPath(resolved, focusHeading)
  useEffect(loadOtherScreens, [])
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 210, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a className="skip" href="#screen">
        Skip to content
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
              aria-expanded={isOpen}
            />
            <Link to="/" className="brand" aria-label="Whereabouts">
              <Logo size={26} />
              <Text span fw={700} visibleFrom="sm">
                Whereabouts
              </Text>
            </Link>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <FindButton />
            <AlertBell />
            <FeedBadge />
            <PersonMenu />
          </Group>
        </Group>
        <BusyBar />
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label="Main menu">
        <ScrollArea>
          {GROUPS.map((group) => (
            <div key={group}>
              <Text size="xs" fw={600} px="sm" pt="sm" c="dimmed">
                {group}
              </Text>
              {SCREENS.filter((screen) => screen.nav !== undefined && screen.group === group).map(
                ({ path: to, nav, icon }) => (
                  <NavLink
                    key={to}
                    component={Link}
                    to={to}
                    label={nav}
                    leftSection={icon && <Icon of={icon} />}
                    active={isWithin(path, to)}
                    aria-current={isWithin(path, to) ? 'page' : undefined}
                  />
                ),
              )}
            </div>
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="screen">
        <Container fluid px={0}>
          {!online && (
            <Alert color="yellow" mb="md" role="status" title="You are offline">
              You see earlier data. It updates when you are back online.
            </Alert>
          )}
          <Suspense fallback={<Waiting what="the screen" />}>
            <Outlet />
          </Suspense>
        </Container>
      </AppShell.Main>
    </AppShell>
  )
}

/** A visit that is over by then does not pay for screens that it never opened. */
const PRELOAD_AFTER_MS = 30_000

/**
 * Preloads the scripts of all screens, so that they also open offline, and after a release that removed them.
 */
function loadOtherScreens(): () => void {
  const timer = setTimeout(() => {
    for (const { load } of SCREENS) load().catch(() => undefined) // retried when the screen opens
  }, PRELOAD_AFTER_MS)
  return () => clearTimeout(timer)
}

const isWithin = (path: string, to: string) =>
  to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)

/** Calls `onChange` after each change of the path, and not for the first one. */
function useOnPath(path: string | undefined, onChange: () => void): void {
  const before = useRef(path)
  useEffect(() => {
    const isFirst = before.current === undefined
    if (before.current === path) return
    before.current = path
    if (!isFirst) onChange()
  }, [path, onChange])
}

/** Screen readers start at the heading of the new screen. A dialog that is open keeps the focus. */
const focusHeading = () =>
  requestAnimationFrame(() => {
    if (document.querySelector('[role=dialog]')) return
    document.querySelector<HTMLElement>('#screen-title')?.focus({ preventScroll: true })
  })

const NOTICED_MS = 700

/** A line below the header while a request takes longer than 700 ms, also while earlier data is shown. */
function BusyBar() {
  const isBusy = useIsFetching() > 0
  return isBusy ? <LateBar /> : null
}

/** Mounted while a request runs. */
function LateBar() {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), NOTICED_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return null
  return <Progress value={100} size={3} radius={0} striped animated aria-label="Loading" className="busy" />
}
