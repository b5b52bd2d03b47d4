import type { TablerIcon } from '@tabler/icons-react'

type Props = { of: TablerIcon; size?: number; color?: string; className?: string }

/** An icon beside a text that says the same: screen readers skip it. */
export const Icon = ({ of: Glyph, size = 18, color, className }: Props) => (
  <Glyph size={size} stroke={1.75} color={color} className={className} aria-hidden focusable={false} />
)
