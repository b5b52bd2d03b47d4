import { Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { ApiError } from '@whereabouts/client/client'
import { useState } from 'react'
import { COLUMNS, type Resource } from './import-files.ts'

type Columns = ReturnType<typeof useUnknownColumns>

/** The headers that the API does not know, and the column that a person gives each. */
export function useUnknownColumns() {
  const [headers, setHeaders] = useState<readonly string[]>([])
  const [assigned, setAssigned] = useState<Readonly<Record<string, string>>>({})
  return {
    headers,
    /** An empty column: ignored. Headers without an answer are absent. */
    assigned,
    assign: (header: string, column: string) => setAssigned({ ...assigned, [header]: column }),
    reset() {
      setHeaders([])
      setAssigned({})
    },
    /** For the `catch` of an upload. Those that have an answer already stay in the list. */
    rememberAndThrow: (error: unknown): never => {
      const unknown = unknownIn(error)
      setHeaders([...new Set([...headers, ...unknown])])
      throw error
    },
  }
}

const unknownIn = (error: unknown): string[] =>
  error instanceof ApiError
    ? (error.error?.fields ?? []).flatMap(({ code, field }) => (code === 'unknown_field' ? [field] : []))
    : []

/** Asks which column is which. */
export function UnknownColumns({ resource, columns }: { resource: Resource; columns: Columns }) {
  if (columns.headers.length === 0) return null
  const choices = [
    { value: IGNORE, label: 'Ignore this column' },
    ...COLUMNS[resource].map(({ name }) => ({ value: name, label: name })),
  ]
  return (
    <Stack gap="xs">
      <Text size="sm">Say what these columns contain, and check the file again.</Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {columns.headers.map((header) => (
          <Select
            key={header}
            label={header === '' ? 'The column without a name' : `Column “${header}”`}
            placeholder="Choose"
            data={choices}
            value={valueOf(columns.assigned[header])}
            onChange={(value) => value !== null && columns.assign(header, value === IGNORE ? '' : value)}
            allowDeselect={false}
          />
        ))}
      </SimpleGrid>
    </Stack>
  )
}

/** No column has this name. */
const IGNORE = '-'

const valueOf = (assigned: string | undefined) => (assigned === '' ? IGNORE : (assigned ?? null))
