import { Anchor, Button, Group, Text } from '@mantine/core'
import IconDownload from '@tabler/icons-react/icons/IconDownload'
import { DownloadProgress } from '../../../parts/download/download-progress.tsx'
import { useDownload } from '../../../parts/download/use-download.ts'
import { Card } from '../../../parts/page/card.tsx'
import { Icon } from '../../../parts/page/icon.tsx'
import { useSession } from '../../../session/use-session.ts'
import { organizationFile } from './organization-file.ts'

/** For administrators: all that the organization stored, as one file. */
export function ExportOrganization() {
  const { org } = useSession()
  const download = useDownload()
  return (
    <Card title="Export everything">
      <Text size="sm">
        One ZIP with all assets, locations, history, readers, people, settings and the audit of {org.name},
        for example before you delete it.{' '}
        <Anchor href="/docs/people#take-everything-along" underline="always" inherit>
          What is in it
        </Anchor>
      </Text>
      <Group>
        <Button
          variant="default"
          leftSection={<Icon of={IconDownload} size={16} />}
          onClick={() =>
            download.start({ load: (signal, onBytes) => organizationFile(org.id, signal, onBytes) })
          }
          disabled={download.bytes !== undefined}
        >
          Export everything
        </Button>
      </Group>
      <DownloadProgress {...download} what="everything" />
    </Card>
  )
}
