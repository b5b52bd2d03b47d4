import { Button, Group, Select, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { TAG_TYPE_CHOICES, tagTypeOf } from '../../../parts/things/tag-types.ts'
import { WholeNumber } from '../../../parts/form/whole-number.tsx'
import { useScanPoints } from '../../connect/use-scan-points.ts'
import { useTaggedAsset } from '../../connect/use-tagged-asset.ts'
import { type TestRead, useTestRead } from '../../connect/use-test-read.ts'

type Props = { readerId: number; readerName: string }

/** Sends a read without the device, to check tag, antenna and webhook. */
export function TestReadButton({ readerId, readerName }: Props) {
  const [isOpen, setOpen] = useState(false)
  const points = useScanPoints(readerId)
  const asset = useTaggedAsset()
  const tag = asset.data?.tags[0]
  return (
    <>
      <Button
        variant="default"
        onClick={() => setOpen(true)}
        loading={isOpen && (points.isPending || asset.isPending)}
      >
        Send a test read
      </Button>
      {isOpen && !points.isPending && !asset.isPending && (
        <TestReadForm
          readerId={readerId}
          readerName={readerName}
          first={{
            tag_type: tagTypeOf(tag?.tag_type ?? null) ?? 'rfid',
            value: tag?.value ?? '',
            antenna: points.data?.find(({ location }) => location !== null)?.antenna ?? 1,
          }}
          tagOf={asset.data?.name}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

type FormProps = Props & {
  /** Values of the fields when the form opens. */
  first: TestRead
  /** Name of the asset whose tag is proposed. */
  tagOf: string | undefined
  onClose: () => void
}

function TestReadForm({ readerId, readerName, first, tagOf, onClose }: FormProps) {
  const [type, setType] = useState(first.tag_type)
  const [value, setValue] = useState(first.value)
  const [antenna, setAntenna] = useState<number | string>(first.antenna)
  const send = useTestRead(readerId, {
    onDone: () => {
      notifications.show({
        message: 'Test read sent. It shows here, and in the history of the asset that has the tag.',
      })
      onClose()
    },
  })
  return (
    <FormModal opened onClose={onClose} title="Send a test read">
      <SendForm
        send={send}
        label="Send test read"
        onSubmit={() => send.send({ tag_type: type, value: value.trim(), antenna: Number(antenna) })}
        onCancel={onClose}
        shownFields={['value', 'antenna']}
      >
        <Text size="sm">
          {`Sends one read as if ${readerName} had read the tag. It is a real scan: it can move the asset, stays in its history, and calls your webhook.`}
        </Text>
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <Select
            label="Tag type"
            data={TAG_TYPE_CHOICES}
            value={type}
            onChange={(chosen) => setType(tagTypeOf(chosen) ?? type)}
            allowDeselect={false}
            maw={160}
          />
          <TextInput
            label="Tag value"
            description={value === first.value && tagOf !== undefined ? `The tag of ${tagOf}.` : undefined}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...send.entry('value', value, setValue)}
            autoComplete="off"
            spellCheck={false}
            required
            miw={200}
          />
        </Group>
        <WholeNumber
          label="Antenna"
          description="Its scan point decides the location."
          maxLength={5}
          value={antenna}
          onChange={setAntenna}
          error={send.fields['antenna']}
          required
        />
      </SendForm>
    </FormModal>
  )
}
