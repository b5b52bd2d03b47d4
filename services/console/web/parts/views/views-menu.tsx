import { Button } from '@mantine/core'
import IconBookmark from '@tabler/icons-react/icons/IconBookmark'
import { lazy, Suspense, useState } from 'react'
import { Icon } from '../page/icon.tsx'
import type { Props } from './later/opened-views.tsx'

const OpenedViews = lazy(() => import('./later/opened-views.tsx'))

/** Filters of a list under names. Loaded when somebody opens it, so that the list needs nothing more. */
export function ViewsMenu({ list }: Props) {
  const [isOpened, setOpened] = useState(false)
  const button = (
    <Button
      variant="default"
      leftSection={<Icon of={IconBookmark} size={16} />}
      aria-haspopup="menu"
      loading={isOpened}
      onClick={() => setOpened(true)}
    >
      Views
    </Button>
  )
  if (!isOpened) return button
  return (
    <Suspense fallback={button}>
      <OpenedViews list={list} />
    </Suspense>
  )
}
