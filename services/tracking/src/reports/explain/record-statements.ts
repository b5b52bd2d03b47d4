import { PostgresQueryCompiler, type Kysely, type KyselyPlugin } from 'kysely'

export type Statement = { text: string; values: readonly unknown[] }

/** `db`, with each statement that is sent through it appended to `sent`. */
export function recordStatements<T>(db: Kysely<T>, sent: Statement[]): Kysely<T> {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      const { sql: text, parameters: values } = new PostgresQueryCompiler().compileQuery(node, queryId)
      sent.push({ text, values })
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return db.withPlugin(plugin)
}
