import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type ErrorComponentProps,
} from '@tanstack/react-router'
import { Waiting } from '../parts/loaded.tsx'
import { AcceptInvitation } from '../screens/accept-invitation/accept-invitation.tsx'
import { SignIn } from '../screens/sign-in/sign-in.tsx'
import { SignUp } from '../screens/sign-up/sign-up.tsx'
import { Frame } from './frame.tsx'
import { SCREENS } from './screens.ts'
import { parseSearch, stringifySearch } from './search.ts'
import { Anchor, Button, Group, Text } from '@mantine/core'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Screen } from '../parts/screen.tsx'
import { SignedOutPage } from '../parts/signed-out-page.tsx'

const root = createRootRoute({ notFoundComponent: UnknownScreen })
const open = [
  createRoute({ getParentRoute: () => root, path: '/sign-in', component: SignIn }),
  createRoute({ getParentRoute: () => root, path: '/sign-up', component: SignUp }),
  createRoute({ getParentRoute: () => root, path: '/accept-invitation', component: AcceptInvitation }),
]
const lazily = [
  createRoute({
    getParentRoute: () => root,
    path: '/forgot-password',
    component: lazyRouteComponent(() => import('../screens/forgot-password/forgot-password.tsx')),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/reset-password',
    component: lazyRouteComponent(() => import('../screens/reset-password/reset-password.tsx')),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/provision',
    component: lazyRouteComponent(() => import('../screens/provision/provision.tsx')),
  }),
]
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
  routeTree: root.addChildren([...open, ...lazily, frame.addChildren(screens)]),
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
