import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type ErrorComponentProps,
  type RouteComponent,
} from '@tanstack/react-router'
import type { OpenPath } from '../../src/screens.ts'
import { Waiting } from '../parts/load/loaded.tsx'
import { AcceptInvitation } from '../areas/sign-in/accept-invitation/accept-invitation.tsx'
import { SignIn } from '../areas/sign-in/sign-in/sign-in.tsx'
import { SignUp } from '../areas/sign-in/sign-up/sign-up.tsx'
import { Frame } from './frame.tsx'
import { SCREENS } from './screens.ts'
import { parseSearch, stringifySearch } from './search.ts'
import { Anchor, Button, Group, Text } from '@mantine/core'
import { FailureNotice } from '../parts/load/failure-notice.tsx'
import { Screen } from '../parts/page/screen.tsx'
import { SignedOutPage } from '../parts/page/signed-out-page.tsx'

const root = createRootRoute({ notFoundComponent: UnknownScreen })
/** Screens that need no session. The first three are part of the first load. */
const OPEN: Readonly<Record<OpenPath, RouteComponent>> = {
  '/sign-in': SignIn,
  '/sign-up': SignUp,
  '/accept-invitation': AcceptInvitation,
  '/forgot-password': lazyRouteComponent(
    () => import('../areas/passwords/forgot-password/forgot-password.tsx'),
  ),
  '/reset-password': lazyRouteComponent(() => import('../areas/passwords/reset-password/reset-password.tsx')),
  '/verify-email': lazyRouteComponent(() => import('../areas/passwords/mail-link/verify-email.tsx')),
  '/confirm-email': lazyRouteComponent(() => import('../areas/passwords/mail-link/confirm-email.tsx')),
  '/provision': lazyRouteComponent(() => import('../areas/readers/provision/provision.tsx')),
}
const open = Object.entries(OPEN).map(([path, component]) =>
  createRoute({ getParentRoute: () => root, path, component }),
)
const frame = createRoute({ getParentRoute: () => root, id: 'frame', component: Frame })
const screens = SCREENS.map(({ path, load }) =>
  createRoute({
    getParentRoute: () => frame,
    path,
    component: lazyRouteComponent(load),
    errorComponent: BrokenScreen,
    pendingComponent: Waiting,
  }),
)

export const router = createRouter({
  routeTree: root.addChildren([...open, frame.addChildren(screens)]),
  defaultPreload: 'intent',
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
})

/** The screen failed to load, usually because a new release replaced its script. */
function BrokenScreen({ error }: ErrorComponentProps) {
  return (
    <Screen title="This screen could not be loaded">
      <FailureNotice error={error} />
      <Group>
        <Button onClick={() => location.reload()}>Reload the console</Button>
      </Group>
    </Screen>
  )
}

function UnknownScreen() {
  return (
    <SignedOutPage title="Page not found">
      <Text>
        Check the address. <Anchor href="/">Go to the overview</Anchor>.
      </Text>
    </SignedOutPage>
  )
}
