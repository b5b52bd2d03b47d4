import { Alert, Code, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { When } from '../../../../parts/time/when.tsx'
import { problemText } from '../../../connect/health-text.ts'

type Health = components['schemas']['ReaderHealth']

/** Why the last message was not understood, or only in part. `withMessage`: where its list is not on the screen. */
export function LastProblem({ health, withMessage = false }: { health: Health; withMessage?: boolean }) {
  if (health.last_problem === null) return null
  return (
    <Alert color="yellow" variant="light" title="Last problem">
      {problemText(health.last_problem)}
      {health.last_problem_at !== null && (
        <Text size="xs" c="dimmed">
          <When at={health.last_problem_at} />
        </Text>
      )}
      {withMessage && health.last_problem_message !== null && (
        <Code
          block
          mt="xs"
          mah={160}
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
          {...SCROLLS}
        >
          {health.last_problem_message}
        </Code>
      )}
    </Alert>
  )
}

/** Keyboard users must be able to focus what scrolls. */
const SCROLLS = { tabIndex: 0, role: 'region', 'aria-label': 'Message' }
