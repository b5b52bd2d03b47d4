import { Button } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { Props } from './later/opened-views.tsx'

const Menu = lazy(() => import('./later/opened-views.tsx'))

/** Filters of a list under names. Its script comes after that of the list. */
export const ViewsMenu = ({ list }: Props) => (
  <Suspense
    fallback={
      <Button variant="default" disabled>
        Views
      </Button>
    }
  >
    <Menu list={list} />
  </Suspense>
)
