import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import type { ReactNode } from 'react'
import { Card } from '../../parts/card.tsx'
import { combined } from '../../parts/combined-query.ts'
import { countText } from '../../parts/count-text.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { When } from '../../parts/when.tsx'
import { useFailedDelivery, useQuietReaders } from './use-attention.ts'
import './overview.css'

type Reader = components['schemas']['Reader']

/** What is wrong now, each with a link to where one finds out more. */
export function Attention({ unknownTags }: { unknownTags: number }) {
  const found = combined({ readers: useQuietReaders(), failed: useFailedDelivery() })
  return (
    <Card title="Needs attention">
      <Loaded query={found} what="what needs attention">
        {({ readers, failed }) =>
          readers.total_count + unknownTags === 0 && failed === null ? (
            <Text size="sm" c="dimmed">
              Nothing. All readers send as usual, and all tags are known.
            </Text>
          ) : (
            <ul className="facts">
              {failed !== null && (
                <Fact to="/webhook" link="Webhook">
                  {': the last delivery failed '}
                  <When at={failed.attempted_at} />.
                </Fact>
              )}
              {readers.data.map((reader) => (
                <QuietReader key={reader.reader_key} reader={reader} />
              ))}
              {readers.total_count > readers.data.length && (
                <Fact
                  to="/readers"
                  link={countText(readers.total_count - readers.data.length, 'more readers')}
                >
                  {' without messages.'}
                </Fact>
              )}
              {unknownTags > 0 && (
                <Fact to="/unknown-tags" link={countText(unknownTags, 'unknown tags')}>
                  {unknownTags === 1 ? ' was read. Nothing has it.' : ' were read. Nothing has them.'}
                </Fact>
              )}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function QuietReader({ reader: { id, name, reader_key, health } }: { reader: Reader }) {
  return (
    <Fact to={id === null ? '/readers' : `/readers/${id}`} link={name ?? reader_key}>
      {health.last_seen_at === null ? (
        ' has never sent a message.'
      ) : (
        <>
          {' is silent. Its last message came '}
          <When at={health.last_seen_at} />.
        </>
      )}
    </Fact>
  )
}

const Fact = ({ to, link, children }: { to: string; link: string; children: ReactNode }) => (
  <Text component="li" size="sm">
    <Anchor component={Link} to={to} size="sm">
      {link}
    </Anchor>
    {children}
  </Text>
)
