import {
  Alert,
  Badge,
  createTheme,
  Modal,
  Notification,
  Table,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core'

/** The color of the product: links, the primary action, the current place. Nothing else is in it. */
const brand: MantineColorsTuple = [
  '#e6f5f4',
  '#c9e9e8',
  '#97d4d2',
  '#62bdbb',
  '#37a5a4',
  '#1a9192',
  '#118789',
  '#0f7f82',
  '#0b7174',
  '#075356',
]

const gray: MantineColorsTuple = [
  '#f6f8f8',
  '#eef1f2',
  '#e4e8ea',
  '#d6dcde',
  '#c3cacd',
  '#a0a9ad',
  '#768187',
  '#4a5459',
  '#323a3e',
  '#1d2326',
]

/** Surfaces of the dark scheme, from text (0) to the bars (9). */
const dark: MantineColorsTuple = [
  '#d3d9dc',
  '#b4bdc1',
  '#8f9a9f',
  '#748086',
  '#3a4348',
  '#2f373b',
  '#262d31',
  '#1d2327',
  '#14181b',
  '#0d1012',
]

export const theme = createTheme({
  colors: { brand, gray, dark },
  primaryColor: 'brand',
  primaryShade: { light: 8, dark: 8 },
  black: '#1d2326',
  autoContrast: true,
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  headings: { fontWeight: '650' },
  defaultRadius: 6,
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Never cut: a part of one or two words says nothing.
    Badge: Badge.extend({ defaultProps: { miw: 'max-content' } }),
    // role=alert interrupts screen readers; only failures set it.
    Alert: Alert.extend({ defaultProps: { role: 'status' } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 'var(--row-space)', highlightOnHover: true } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Modal: Modal.extend({
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        attributes: { header: { role: 'presentation' } }, // else a second banner of the page
      },
      styles: { title: { fontSize: 'var(--mantine-font-size-lg)', fontWeight: 650 } },
    }),
  },
})

const COLORS = ['brand', 'green', 'red', 'gray', 'teal', 'violet'] as const

const onTints = (text: (color: string) => string) =>
  Object.fromEntries(COLORS.map((color) => [`--mantine-color-${color}-light-color`, text(color)]))

/** Raises the contrast of text on tints, hints and errors above Mantine's defaults. */
export const readableColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-anchor': 'var(--mantine-color-brand-8)',
    '--mantine-color-default-border': 'var(--mantine-color-gray-3)',
    ...onTints((color) => `var(--mantine-color-${color}-9)`),
    '--mantine-color-green-light-color': '#1c5c2a',
    '--mantine-color-teal-light-color': '#075e46',
    '--mantine-color-yellow-light-color': '#663c00',
    '--mantine-color-orange-light-color': '#7a3000',
    '--mantine-color-red-outline': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-anchor': 'var(--mantine-color-brand-3)',
    '--mantine-color-brand-filled': 'var(--mantine-color-brand-7)', // 3:1 to a card, as the ring of a focus
    '--mantine-color-brand-filled-hover': 'var(--mantine-color-brand-8)',
    ...onTints((color) => `var(--mantine-color-${color}-2)`),
    '--mantine-color-yellow-light-color': 'var(--mantine-color-yellow-2)',
    '--mantine-color-orange-light-color': 'var(--mantine-color-orange-2)',
    '--mantine-color-red-outline': 'var(--mantine-color-red-3)',
  },
})
