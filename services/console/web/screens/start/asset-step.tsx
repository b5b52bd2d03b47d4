import { Anchor, Code, Group, Select, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type components, unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'

const TAG_TYPES = [
  { value: 'rfid', label: 'RFID', placeholder: 'E28011606000020A1B2C3D4E' },
  { value: 'ble', label: 'Bluetooth', placeholder: 'AC:23:3F:A1:B2:C3' },
  { value: 'barcode', label: 'Barcode', placeholder: '4006381333931' },
] as const

/** Creates the first asset with a tag. */
export function AssetStep({ asset }: { asset: components['schemas']['Asset'] | null }) {
  if (asset === null) return <AssetForm />
  return (
    <Text size="sm">
      <Anchor component={Link} inherit underline="always" to={`/assets/${asset.id}`}>
        {asset.name}
      </Anchor>
      {' has the tag '}
      <Code>{asset.tags[0]?.value}</Code>
      {'. Add more under '}
      <Anchor component={Link} inherit underline="always" to="/assets">
        Assets
      </Anchor>
      {', or import a CSV file.'}
    </Text>
  )
}

function AssetForm() {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [type, setType] = useState<(typeof TAG_TYPES)[number]>(TAG_TYPES[0])
  const send = useSend(
    async () =>
      unwrap(await api.POST('/api/v1/assets', { body: { name, tags: [{ tag_type: type.value, value }] } })),
    { reload: [['assets']] },
  )
  return (
    <>
      <Text size="sm">Something to track, with the tag that readers read.</Text>
      <SendForm
        send={send}
        label="Add asset"
        onSubmit={() => send.send(undefined)}
        shownFields={['name', 'tags.0.value', 'tags[0].value']}
      >
        <TextInput
          label="Asset name"
          placeholder="Forklift 7"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={send.fields['name']}
          autoComplete="off"
          required
        />
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <Select
            label="Tag type"
            data={TAG_TYPES.map(({ value: id, label }) => ({ value: id, label }))}
            value={type.value}
            onChange={(chosen) => setType(TAG_TYPES.find((known) => known.value === chosen) ?? type)}
            allowDeselect={false}
            maw={160}
          />
          <TextInput
            label="Tag value"
            placeholder={type.placeholder}
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
            error={send.fields['tags.0.value'] ?? send.fields['tags[0].value']}
            autoComplete="off"
            required
            miw={220}
          />
        </Group>
      </SendForm>
    </>
  )
}
