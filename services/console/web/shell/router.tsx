import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Waiting } from '../parts/loaded.tsx'
import { AcceptInvitation } from '../screens/accept-invitation/accept-invitation.tsx'
import { SignIn } from '../screens/sign-in/sign-in.tsx'
import { SignUp } from '../screens/sign-up/sign-up.tsx'
import { Frame } from './frame.tsx'
import { BrokenScreen, UnknownScreen } from './broken-screen.tsx'
import { SCREENS } from './screens.ts'
import { parseSearch, stringifySearch } from './search.ts'

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
