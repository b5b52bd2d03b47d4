import { Grid } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import type { FieldMessages } from '../load/failure.ts'
import { type AnyFields, changedFields, entriesOf, problemsOf, type Values, valuesOf } from './fields.ts'
import { SendForm } from './send-form.tsx'
import { useSend } from './use-send.ts'

type Props<Body, Result> = {
  fields: AnyFields
  /** The resource to edit; undefined for a new one. */
  resource?: { id: number }
  /** Input values that are not in `resource`, such as the name of a parent. */
  known?: Values
  /** Label of the submit button. */
  label: string
  /** Gets the changed fields, and for a new resource also the required ones. */
  request: (body: Body) => Promise<Result>
  reload: readonly (readonly unknown[])[]
  /** `result` is undefined if nothing was changed, so that nothing was sent. */
  onDone: (result: Result | undefined) => void
  onCancel?: () => void
  /** Further inputs and the names of their fields. */
  more?: { fields: readonly string[]; renderInputs: (errors: FieldMessages) => ReactNode }
}

/** The form of a new or existing resource, made from its fields. */
export function ResourceForm<Body, Result>({ fields, resource, known, ...props }: Props<Body, Result>) {
  const { label, request, reload, onDone, onCancel, more } = props
  // The resource as it was when the form opened.
  const [before] = useState<Values>(() => ({
    ...valuesOf(fields, resource),
    ...(resource && known),
  }))
  const form = useForm<Record<string, unknown>>({
    initialValues: { ...before, ...known },
    validate: (values) => problemsOf(Object.fromEntries(inFormOf(fields, resource, values)), before, values),
  })
  const send = useSend(request, { reload, onDone, onFailure: (messages) => form.setErrors({ ...messages }) })
  // Required fields come first.
  const inForm = inFormOf(fields, resource, form.values).toSorted(
    ([, a], [, b]) => Number(b.isRequired ?? false) - Number(a.isRequired ?? false),
  )
  const submit = () => {
    if (form.validate().hasErrors) return
    const changed = changedFields(fields, before, form.getValues())
    if (resource && Object.keys(changed).length === 0) return onDone(undefined)
    const required = inForm.filter(([, { isRequired }]) => !resource && isRequired)
    const values = Object.fromEntries(required.map(([key]) => [key, form.getValues()[key]]))
    send.send({ ...values, ...changed } as Body)
  }
  return (
    <SendForm
      send={send}
      label={label}
      onSubmit={submit}
      onCancel={onCancel}
      shownFields={[...Object.keys(fields), ...(more?.fields ?? [])]}
    >
      <Grid gap="sm">
        {inForm.map(([key, { label: name, help, kind, isRequired, isHalf }], at) => (
          <Grid.Col key={key} span={isHalf ? { base: 12, xs: 6 } : 12}>
            <kind.Input
              value={form.values[key]}
              onChange={(value) => form.setFieldValue(key, value)}
              error={form.errors[key] as string | undefined}
              label={name}
              description={help}
              required={isRequired}
              data-resource={resource?.id}
              data-autofocus={at === 0 || undefined}
            />
          </Grid.Col>
        ))}
      </Grid>
      {more?.renderInputs(form.errors as FieldMessages)}
    </SendForm>
  )
}

/** The fields whose inputs the form shows. */
const inFormOf = (fields: AnyFields, resource: object | undefined, values: Values) =>
  entriesOf(fields)
    .filter(([, { isCreateOnly }]) => !resource || !isCreateOnly)
    .filter(([, { isVisible }]) => isVisible?.(values) ?? true)
