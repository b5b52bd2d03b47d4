import { Alert, AppShell, Burger, Container, Group, NavLink, ScrollArea, Text } from '@mantine/core'
import { useDisclosure, useNetwork } from '@mantine/hooks'
import { Link, Navigate, Outlet, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { Waiting } from '../parts/loaded.tsx'
import { useSessionState } from '../session/use-session.ts'
import { BusyBar } from './busy-bar.tsx'
import { FeedBadge } from './feed-badge.tsx'
import { PersonMenu } from './person-menu.tsx'
import { SCREENS } from './screens.ts'
import { SignInAgain } from './sign-in-again.tsx'
import './frame.css'

/** Around every screen of somebody who is signed in; anybody else signs in first and comes back. */
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

/** The way back is remembered once: it is another one as soon as we are on our way. */
function ToSignIn() {
  const href = useRouterState({ select: (router) => router.location.href })
  const [to] = useState(href)
  return <Navigate to="/sign-in" search={{ to }} replace />
}

function SignedIn() {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const { online } = useNetwork()
  const path = useRouterState({ select: (router) => router.location.pathname })
  useFocusOnScreen(path, close)
  useEffect(loadOtherScreens, [])
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 210, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a className="skip" href="#screen">
        Skip to the screen
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
            <Text fw={700} component={Link} to="/" className="brand">
              Whereabouts
            </Text>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <FeedBadge />
            <PersonMenu />
          </Group>
        </Group>
        <BusyBar />
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label="Screens">
        <ScrollArea>
          {['Track', 'Set up', 'Connect'].map((group) => (
            <div key={group}>
              <Text size="xs" fw={600} px="sm" pt="sm" c="dimmed">
                {group}
              </Text>
              {SCREENS.filter((screen) => screen.nav !== undefined && screen.group === group).map(
                ({ path: to, nav }) => (
                  <NavLink
                    key={to}
                    component={Link}
                    to={to}
                    label={nav}
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
              What you see was loaded before. It is brought up to date when this device is connected again.
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

const UNTIL_SHOWN_MS = 2_000

/**
 * The scripts of all screens, once the first one is there: another screen opens without a connection, too, and after a
 * release that no longer has them.
 */
function loadOtherScreens(): () => void {
  const timer = setTimeout(() => {
    for (const { load } of SCREENS) load().catch(() => undefined) // tried again when it is opened
  }, UNTIL_SHOWN_MS)
  return () => clearTimeout(timer)
}

const isWithin = (path: string, to: string) =>
  to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)

/** A screen reader begins at the new screen, as it would with a page that was loaded. */
function useFocusOnScreen(path: string, close: () => void): void {
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return undefined
    before.current = path
    close()
    const focus = () => document.querySelector<HTMLElement>('#screen-title')?.focus({ preventScroll: true })
    const frame = requestAnimationFrame(focus)
    return () => cancelAnimationFrame(frame)
  }, [path, close])
}
