import { z } from 'zod'
import { ToolError, type Read, type ReadId } from './read.ts'
import type { Screens } from './rows.ts'

export type Context = { read: Read; screens: Screens }

/** A tool as clients see it. All its texts are of this repository: nothing that a caller stored is in them. */
export type Tool = {
  definition: {
    name: string
    title: string
    description: string
    inputSchema: JsonObject
    outputSchema: JsonObject
    annotations: typeof READS
  }
  /** Rows of the route table. The tool is listed for those who may call all of them. */
  needs: readonly ReadId[]
  /** Throws a `ToolError`. */
  run(sent: unknown, context: Context): Promise<Record<string, unknown>>
}
type JsonObject = { type: 'object'; [member: string]: unknown }

const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const

type Written<In extends z.ZodObject, Out extends z.ZodObject> = Omit<Tool, 'definition' | 'run'> & {
  name: string
  title: string
  description: string
  input: In
  output: Out
  run: (sent: z.output<In>, context: Context) => Promise<z.output<Out>>
}

/** A tool from the shapes of its arguments and of its result. */
export function tool<In extends z.ZodObject, Out extends z.ZodObject>({
  needs,
  name,
  title,
  description,
  input,
  output,
  run,
}: Written<In, Out>): Tool {
  const schemas = { inputSchema: schemaOf(input, 'input'), outputSchema: schemaOf(output, 'output') }
  return {
    definition: { name, title, description, ...schemas, annotations: READS },
    needs,
    async run(sent, context) {
      const read = input.safeParse(sent)
      if (!read.success) throw new ToolError(z.prettifyError(read.error))
      return run(read.data, context)
    },
  }
}

const schemaOf = (shape: z.ZodObject, io: 'input' | 'output') => z.toJSONSchema(shape, { io }) as JsonObject
