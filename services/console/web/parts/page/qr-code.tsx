import { Box } from '@mantine/core'
import { lazy, Suspense } from 'react'

const Code = lazy(() => import('./later/qr-code.tsx'))

/** The text as a QR code. What draws it is loaded when it is used; the room for it is there before. */
export const QrCode = (props: { text: string; label: string }) => (
  <Box mih={240}>
    <Suspense>
      <Code {...props} />
    </Suspense>
  </Box>
)
