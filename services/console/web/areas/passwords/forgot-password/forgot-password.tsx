import { Anchor, List, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { SignedOutPage } from '../../../parts/page/signed-out-page.tsx'

/** Who can help: the server sends no mail. */
export default function ForgotPassword() {
  return (
    <SignedOutPage title="Forgot your password?" lead="Ask for a link with which you choose a new one.">
      <List size="sm" spacing="sm">
        <List.Item>
          <b>Ask an administrator of your organization.</b> On the screen Members, “Reset link” at your name
          creates the link.
        </List.Item>
        <List.Item>
          <b>Are you the only administrator, or do you belong to several organizations?</b> Ask the people who
          run the server {location.host}. They find the command in the operating guide, under “A sole
          administrator lost the password”.
        </List.Item>
      </List>
      <Text size="sm">The link works once, for an hour. Do not pass it on: it opens your account.</Text>
      <Anchor component={Link} to="/sign-in" size="sm" underline="always">
        Back to sign-in
      </Anchor>
    </SignedOutPage>
  )
}
