import { Code, List, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'

type Props = { problems: readonly components['schemas']['ReaderMessageProblem'][] }

/** What is wrong with a message, where, and what to do. */
export const ProblemList = ({ problems }: Props) => (
  <List size="sm" listStyleType="none" spacing={4}>
    {problems.map(({ pointer, code, detail }) => (
      <List.Item key={`${code} ${pointer} ${detail}`}>
        {pointer !== '' && (
          <>
            <Code>{pointer}</Code>{' '}
          </>
        )}
        <Text component="span" size="sm">
          {detail}
        </Text>
      </List.Item>
    ))}
  </List>
)
