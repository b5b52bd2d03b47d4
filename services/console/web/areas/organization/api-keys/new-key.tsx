import { Checkbox, Group, Radio, Select, Stack, TextInput } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { atMost, filled, firstOf } from '../../../parts/form/checks.ts'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import {
  CHECKBOXES,
  EXPIRIES,
  type Expiry,
  expiresAt,
  lacksDay,
  LEVELS,
  NO_SCOPES,
  RESOURCES,
  RESOURCE_TEXTS,
  type ScopeForm,
  scopesOf,
} from './key-scopes.ts'

type Props = { onCreated: (key: components['schemas']['ApiKeyCreated']) => void; onClose: () => void }

const LEVEL_TEXTS = { none: 'None', read: 'Read', write: 'Read and write' } as const
const EXPIRY_TEXTS: Record<Expiry, string> = {
  never: 'Never',
  '30': 'In 30 days',
  '90': 'In 90 days',
  '365': 'In 365 days',
  date: 'On a date',
}

/** Creates an API key. Its scopes cannot be changed later. */
export function NewKey({ onCreated, onClose }: Props) {
  const { org } = useSession()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ScopeForm>(NO_SCOPES)
  const [expiry, setExpiry] = useState<Expiry>('never')
  const [day, setDay] = useState('')
  const send = useSend(
    () =>
      api.post('/api/v1/orgs/{org_id}/api-keys', {
        path: { org_id: org.id },
        body: {
          name: name.trim(),
          scopes: scopesOf(scopes),
          expires_at: expiresAt(expiry, day, Date.now()),
        },
      }),
    {
      check: () => ({
        name: firstOf(filled(name, 'Enter a name.'), atMost(name, 255)),
        scopes: scopesOf(scopes).length === 0 ? 'Choose what the key may do.' : undefined,
        expires_at: lacksDay(expiry, day) ? 'Choose the last day.' : undefined,
      }),
      reload: [['api-keys']],
      onDone: onCreated,
    },
  )
  return (
    <FormModal opened onClose={onClose} title="New API key" size="lg">
      <SendForm
        send={send}
        label="Create key"
        onCancel={onClose}
        shownFields={['name', 'scopes', 'expires_at']}
      >
        <TextInput
          label="Name"
          description="What it is for, for example ERP connector."
          {...send.entry('name', name, setName)}
          autoComplete="off"
          required
          data-autofocus
        />
        <ScopeFields scopes={scopes} onChange={setScopes} error={send.fields['scopes']} />
        <Group align="flex-end" gap="sm">
          <Select
            label="Expires"
            data={EXPIRIES.map((value) => ({ value, label: EXPIRY_TEXTS[value] }))}
            value={expiry}
            onChange={(value) => setExpiry(EXPIRIES.find((known) => known === value) ?? expiry)}
            allowDeselect={false}
            error={expiry === 'date' ? undefined : send.fields['expires_at']}
          />
          {expiry === 'date' && (
            <TextInput type="date" label="Last day" {...send.entry('expires_at', day, setDay)} required />
          )}
        </Group>
      </SendForm>
    </FormModal>
  )
}

type ScopeProps = { scopes: ScopeForm; onChange: (scopes: ScopeForm) => void; error: string | undefined }

function ScopeFields({ scopes, onChange, error }: ScopeProps) {
  return (
    <Stack gap="sm">
      {RESOURCES.map((resource) => (
        <Radio.Group
          key={resource}
          label={RESOURCE_TEXTS[resource][0]}
          description={RESOURCE_TEXTS[resource][1]}
          value={scopes[resource]}
          onChange={(value) =>
            onChange({ ...scopes, [resource]: LEVELS.find((known) => known === value) ?? 'none' })
          }
        >
          <Group mt={6} gap="lg">
            {LEVELS.map((level) => (
              <Radio key={level} value={level} label={LEVEL_TEXTS[level]} />
            ))}
          </Group>
        </Radio.Group>
      ))}
      {Object.values(CHECKBOXES).map(({ name, label, description }, i, all) => (
        <Checkbox
          key={name}
          label={label}
          description={description}
          checked={scopes[name]}
          onChange={(event) => onChange({ ...scopes, [name]: event.currentTarget.checked })}
          error={i === all.length - 1 ? error : error !== undefined} // the text once, below all
        />
      ))}
    </Stack>
  )
}
