import { useLocalStorage } from '@mantine/hooks'

/** How instants read. */
export const TIME_STYLES = [
  ['relative', '5 minutes ago'],
  ['exact', 'Date, time and zone'],
] as const
type TimeStyle = (typeof TIME_STYLES)[number][0]

/** What the person chose in this browser, for all its tabs. */
export const useTimeStyle = () =>
  useLocalStorage<TimeStyle>({
    key: 'whereabouts-times',
    defaultValue: 'relative',
    getInitialValueInEffect: false,
  })
