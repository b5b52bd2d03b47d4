import { Screen } from '../../../parts/page/screen.tsx'
import { useSession } from '../../../session/use-session.ts'
import { EmailCard } from './email-card.tsx'
import { NameCard } from './name-card.tsx'
import { OneTimeCodesCard } from './one-time-codes/one-time-codes-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { RoleCard } from './role-card.tsx'
import { Sessions } from './sessions.tsx'

/** The signed-in person: name, address, password, one-time codes, sessions and role. */
export default function AccountScreen() {
  const { user } = useSession()
  return (
    <Screen title="Account" lead={`${user.name} · ${user.email}`}>
      <NameCard />
      <EmailCard />
      <PasswordCard />
      <OneTimeCodesCard />
      <Sessions />
      <RoleCard />
    </Screen>
  )
}
