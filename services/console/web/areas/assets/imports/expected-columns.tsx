import { Anchor, Code, Spoiler, Stack, Table, Text } from '@mantine/core'
import { COLUMNS, EXAMPLES, type Resource } from './import-files.ts'

/** The columns that a file can have, with an example file. */
export function ExpectedColumns({ resource }: { resource: Resource }) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        The first line lists the column names, in any order and spelling: External Key is{' '}
        <Code>external_key</Code>. Include <Code>name</Code> or <Code>external_key</Code>. Fields without a
        column stay unchanged.{' '}
        <Anchor
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(EXAMPLES[resource])}`}
          download={`example-${resource}.csv`}
          underline="always"
          inherit
        >
          {`Download an example for ${resource}`}
        </Anchor>
        . An export has the same columns, so you can edit it and import it again. Its columns for the location
        and when an asset was last seen are ignored.
      </Text>
      <Spoiler
        maxHeight={96}
        styles={{ control: { fontSize: 'var(--mantine-font-size-sm)' } }}
        showLabel="Show all columns"
        hideLabel="Show fewer columns"
      >
        <Table layout="fixed" verticalSpacing={4} aria-label="Columns of the file">
          <Table.Tbody>
            {COLUMNS[resource].map(({ name, help }) => (
              <Table.Tr key={name}>
                <Table.Th w={170} ff="monospace" fw={500} scope="row">
                  {name}
                </Table.Th>
                <Table.Td>{help}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Spoiler>
    </Stack>
  )
}
