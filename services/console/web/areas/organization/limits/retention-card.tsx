import { List, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { Card } from '../../../parts/page/card.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { problemsIn } from '../../../parts/form/checks.ts'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import { useRead } from '../../../parts/load/use-read.ts'
import { useSend } from '../../../parts/form/use-send.ts'
import { WholeNumber } from '../../../parts/form/whole-number.tsx'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import { sayDone } from '../account/say-done.ts'
import {
  changesOf,
  checksOf,
  deletionsOf,
  type Draft,
  draftOf,
  fieldOf,
  installationText,
  labelOf,
  type Retention,
  TYPES,
} from './retention-draft.ts'

type Props = { retention: Retention; installed: number }

/** How long history is kept, by type of asset. Members see it, administrators change it. */
export function RetentionCard({ installed }: Pick<Props, 'installed'>) {
  const { org, isAdmin } = useSession()
  const path = { org_id: org.id }
  const organization = useRead(['organization', org.id], '/api/v1/orgs/{org_id}', { path })
  const Part = isAdmin ? RetentionForm : RetentionList
  return (
    <Card title="How long history is kept">
      <Text size="sm" c="dimmed">
        Where assets of each type were: history, sightings and movements. The last known location stays.
      </Text>
      <Loaded query={organization} what="how long history is kept">
        {({ retention_days: retention }) => <Part retention={retention} installed={installed} />}
      </Loaded>
    </Card>
  )
}

const RetentionList = ({ retention, installed }: Props) => (
  <>
    <List size="sm">
      {TYPES.map((type) => {
        const days = retention[type]
        const kept = days === null ? installationText(installed) : countText(days, 'days')
        return <List.Item key={type}>{`${labelOf(type)}: ${kept}`}</List.Item>
      })}
    </List>
    <Text size="sm" c="dimmed">
      Only administrators can change this.
    </Text>
  </>
)

function RetentionForm({ retention, installed }: Props) {
  const { org } = useSession()
  // Only what was changed here: the rest follows what others save meanwhile.
  const [typed, setTyped] = useState<Partial<Draft>>({})
  const [isAsking, asking] = useDisclosure(false)
  const draft = draftOf(retention, typed)
  const changes = changesOf(retention, draft)
  const checks = checksOf(changes, installed)
  const deletions = deletionsOf(retention, changes, installed)
  const send = useSend(
    () => api.patch('/api/v1/orgs/{org_id}', { path: { org_id: org.id }, body: { retention_days: changes } }),
    {
      check: () => checks,
      reload: [['organization']],
      onFailure: asking.close,
      onDone: () => {
        asking.close()
        setTyped({})
        sayDone('Saved how long history is kept.')
      },
    },
  )
  const asksFirst = deletions.length > 0 && Object.keys(problemsIn(checks)).length === 0
  return (
    <>
      <SendForm
        send={send}
        onSubmit={() => (asksFirst ? asking.open() : send.send(undefined))}
        label="Save"
        isDisabled={Object.keys(changes).length === 0}
        shownFields={TYPES.map(fieldOf)}
      >
        {TYPES.map((type) => (
          <WholeNumber
            key={type}
            label={`${labelOf(type)}, in days`}
            description={`Empty: ${installationText(installed)}.`}
            value={draft[type]}
            onChange={(days) => setTyped((before) => ({ ...before, [type]: days }))}
            error={send.fields[fieldOf(type)]}
          />
        ))}
      </SendForm>
      <Modal opened={isAsking} onClose={asking.close} title="Delete older history?">
        <SendForm send={send} label="Save and delete" color="red" onCancel={asking.close}>
          <Stack gap="xs">
            {deletions.map((sentence) => (
              <Text size="sm" key={sentence}>
                {sentence}
              </Text>
            ))}
            <Text size="sm">This cannot be undone.</Text>
          </Stack>
        </SendForm>
      </Modal>
    </>
  )
}
