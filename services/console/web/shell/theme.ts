import { Alert, createTheme, Modal, Notification, Table, type CSSVariablesResolver } from '@mantine/core'

export const theme = createTheme({
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // role=alert interrupts screen readers; only failures set it.
    Alert: Alert.extend({ defaultProps: { role: 'status' } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 'xs', highlightOnHover: true } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Modal: Modal.extend({
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        attributes: { header: { role: 'presentation' } }, // else a second banner of the page
      },
    }),
  },
})

const COLORS = ['blue', 'green', 'red', 'gray', 'teal', 'violet'] as const

const onTints = (text: (color: string) => string) =>
  Object.fromEntries(COLORS.map((color) => [`--mantine-color-${color}-light-color`, text(color)]))

/** Raises the contrast of text on tints, hints and errors above Mantine's defaults. */
export const readableColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-anchor': 'var(--mantine-color-blue-9)',
    ...onTints((color) => `var(--mantine-color-${color}-9)`),
    '--mantine-color-green-light-color': '#1c5c2a',
    '--mantine-color-teal-light-color': '#075e46',
    '--mantine-color-yellow-light-color': '#663c00',
    '--mantine-color-orange-light-color': '#7a3000',
    '--mantine-color-red-outline': 'var(--mantine-color-red-9)',
    '--mantine-color-blue-outline': 'var(--mantine-color-blue-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-anchor': 'var(--mantine-color-blue-3)',
    ...onTints((color) => `var(--mantine-color-${color}-2)`),
    '--mantine-color-yellow-light-color': 'var(--mantine-color-yellow-2)',
    '--mantine-color-orange-light-color': 'var(--mantine-color-orange-2)',
    '--mantine-color-red-outline': 'var(--mantine-color-red-3)',
    '--mantine-color-blue-outline': 'var(--mantine-color-blue-3)',
  },
})
