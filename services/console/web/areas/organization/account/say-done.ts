import { notifications } from '@mantine/notifications'

/** Confirms a change that shows nowhere else on the screen. */
export const sayDone = (message: string) => notifications.show({ color: 'green', message })
