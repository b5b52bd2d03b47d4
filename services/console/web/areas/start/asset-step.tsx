import { Anchor, Code, Group, Select, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { atMost, filled, firstOf } from '../../parts/form/checks.ts'
import { SendForm } from '../../parts/form/send-form.tsx'
import { useSend } from '../../parts/form/use-send.ts'
import { TAG_TYPE_CHOICES, type TagType, tagTypeOf } from '../../parts/things/tag-types.ts'
import { EXAMPLE, exampleTag } from './example.ts'
import { createAsset } from './set-up.ts'
import { shownValue } from '../../parts/things/tag-values.ts'

/** Creates the first asset with a tag. */
export function AssetStep({ asset }: { asset: components['schemas']['Asset'] | null }) {
  if (asset === null) return <AssetForm />
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <Anchor component={Link} inherit underline="always" to={`/assets/${asset.id}`}>
        {asset.name}
      </Anchor>
      {' has the tag '}
      <Code>{shownValue(asset.tags[0]?.value ?? '')}</Code>
      {'. Add more under '}
      <Anchor component={Link} inherit underline="always" to="/assets">
        Assets
      </Anchor>
      {', or import a CSV file.'}
    </Text>
  )
}

/** Where people find the value, by type. */
const WHERE: Readonly<Record<TagType, string>> = {
  rfid: 'Printed on the label of the tag, often below the barcode, or shown by a hand-held reader.',
  ble: 'Printed on the case of the beacon as MAC or address, or shown in the app of its maker.',
  barcode: 'The digits or letters below the bars.',
}

type Typed = { name: string; value: string }

function AssetForm() {
  const [name, setName] = useState<string>(EXAMPLE.asset)
  const [type, setType] = useState<TagType>('rfid')
  const [example, setExample] = useState(() => exampleTag('rfid'))
  const [value, setValue] = useState(example)
  const isExample = value === example
  const send = useSend(
    (typed: Typed) => createAsset({ name: typed.name, tags: [{ tag_type: type, value: typed.value }] }),
    {
      reload: [['assets']],
      check: (typed) => ({
        name: firstOf(filled(typed.name, 'Enter a name.'), atMost(typed.name, 255)),
        'tags.0.value': firstOf(filled(typed.value, 'Enter the value of the tag.'), atMost(typed.value, 255)),
      }),
    },
  )
  const choose = (chosen: TagType) => {
    const next = exampleTag(chosen)
    setType(chosen)
    setExample(next)
    if (isExample) setValue(next)
  }
  return (
    <>
      <Text size="sm">Something to track, with the tag that readers read.</Text>
      <SendForm
        send={send}
        label="Add asset"
        onSubmit={() => send.send({ name: name.trim(), value: value.trim() })}
        shownFields={['name', 'tags.0.value', 'tags[0].value']}
      >
        <TextInput
          label="Asset name"
          {...send.entry('name', name, setName)}
          onFocus={(event) => event.currentTarget.select()}
          autoComplete="off"
          required
        />
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <Select
            label="Tag type"
            data={TAG_TYPE_CHOICES}
            value={type}
            onChange={(chosen) => choose(tagTypeOf(chosen) ?? type)}
            allowDeselect={false}
            maw={160}
          />
          <TextInput
            label="Tag value"
            description={isExample ? `An example. A real one: ${WHERE[type]}` : WHERE[type]}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...send.entry(send.fields['tags.0.value'] ? 'tags.0.value' : 'tags[0].value', value, setValue)}
            onFocus={(event) => event.currentTarget.select()}
            autoComplete="off"
            spellCheck={false}
            required
            miw={220}
          />
        </Group>
        {!isExample && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            underline="always"
            ta="left"
            onClick={() => setValue(example)}
          >
            No tag at hand? Use an example value
          </Anchor>
        )}
      </SendForm>
    </>
  )
}
