import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

type Props = { id: number; children: ReactNode }

/** A box of its own, told from the text beside it by its place. */
const BOX = { display: 'inline-block' }

export const AssetLink = ({ id, children }: Props) => (
  <Anchor component={Link} to={`/assets/${id}`} size="sm" style={BOX}>
    {children}
  </Anchor>
)

export const LocationLink = ({ id, children }: Props) => (
  <Anchor component={Link} to={`/locations/${id}`} size="sm" style={BOX}>
    {children}
  </Anchor>
)
