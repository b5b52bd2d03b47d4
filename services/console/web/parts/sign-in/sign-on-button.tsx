import { Button } from '@mantine/core'

type Props = { isMain?: boolean; isInNewTab?: boolean }

/** Leads to the sign-on provider. It is a link: the browser leaves the console, and comes back to `/sign-in`. */
export const SignOnButton = ({ isMain = false, isInNewTab = false }: Props) => (
  <Button
    component="a"
    href="/api/v1/auth/oidc/start"
    target={isInNewTab ? '_blank' : undefined}
    variant={isMain ? 'filled' : 'default'}
    fullWidth
  >
    Sign in with single sign-on
  </Button>
)
