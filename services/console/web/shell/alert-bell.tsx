import { Anchor, Popover, Stack, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure, useNetwork } from '@mantine/hooks'
import IconBell from '@tabler/icons-react/icons/IconBell'
import { Link, useRouterState } from '@tanstack/react-router'
import { type CSSProperties, useEffect } from 'react'
import { bellNumber, bellText, isStale, severityOf } from '../parts/alerts/alert-text.ts'
import { AlertLines } from '../parts/alerts/open-alerts.tsx'
import { useRaised } from '../parts/alerts/use-alerts.ts'
import { Loaded } from '../parts/load/loaded.tsx'
import { Icon } from '../parts/page/icon.tsx'
import { useNow } from '../parts/time/when.tsx'

/** How many alerts nobody took note of, in the color of the worst. Opens the newest. */
export function AlertBell() {
  const raised = useRaised()
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const path = useRouterState({ select: (router) => router.location.href })
  useEffect(close, [path, close])
  const now = useNow()
  const { online } = useNetwork()
  const { data } = raised
  const stale = !online || (!raised.isPending && isStale(raised, now))
  const label = bellText(data, stale)
  return (
    <Popover
      opened={isOpen}
      onChange={close}
      onDismiss={close}
      position="bottom-end"
      width={320}
      withinPortal={false}
      withRoles={false} // the bell would name the dialog
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <UnstyledButton
          className="bell"
          onClick={toggle}
          aria-label={label}
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          title={label}
          data-stale={stale || undefined}
        >
          <Icon of={IconBell} size={20} />
          {data !== undefined && data.count > 0 && (
            <span
              className="bell-count"
              style={
                {
                  '--bell': `var(--mantine-color-${severityOf(data.worst ?? '')[0]}-filled)`,
                } as CSSProperties
              }
            >
              {bellNumber(data.count)}
            </span>
          )}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Newest alerts">
        <Stack gap="sm">
          {stale && data !== undefined && (
            <Text size="sm" role="status">
              The connection is interrupted. This may be out of date.
            </Text>
          )}
          <Loaded query={raised} what="the alerts">
            {({ newest }) =>
              newest.length === 0 ? (
                <Text size="sm">No alert is waiting.</Text>
              ) : (
                <AlertLines alerts={newest} />
              )
            }
          </Loaded>
          <Anchor component={Link} to="/alerts" size="sm">
            All alerts
          </Anchor>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
