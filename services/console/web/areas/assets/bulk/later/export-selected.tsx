import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { FailureNotice } from '../../../../parts/load/failure-notice.tsx'
import { saveFile } from '../../../../parts/download/save-file.ts'
import { client } from '../../../../session/api.ts'
import type { Asset } from '../../assets/asset-fields.ts'

/** The chosen assets as the file that an import takes. */
export function ExportSelected({ assets }: { assets: readonly Asset[] }) {
  const download = useMutation({
    mutationFn: async () => {
      const params = { query: { id: assets.map(({ id }) => id) } }
      const body = unwrap(await client.GET('/api/v1/exports/assets', { params, parseAs: 'blob' }))
      if (body) saveFile(body, 'selected-assets.csv')
    },
  })
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        Export
      </Button>
      {download.error && <FailureNotice error={download.error} onRetry={() => download.mutate()} />}
    </>
  )
}
