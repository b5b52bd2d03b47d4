import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

type Props = { id: number; children: ReactNode }

export const AssetLink = ({ id, children }: Props) => (
  <Anchor component={Link} to={`/assets/${id}`} size="sm">
    {children}
  </Anchor>
)

export const LocationLink = ({ id, children }: Props) => (
  <Anchor component={Link} to={`/locations/${id}`} size="sm">
    {children}
  </Anchor>
)
