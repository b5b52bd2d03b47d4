import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import {
  OperationNodeTransformer,
  ValueNode,
  type BinaryOperationNode,
  type Kysely,
  type KyselyPlugin,
  type OperationNode,
  type RawNode,
} from 'kysely'

/** The database of a service as requests see it, but with statements that lack the filter by organization. */
export function withoutOrgFilter<T>(open: (orgId: number) => Kysely<T>): TenantDatabase<T> {
  const forOrg = (orgId: number) => open(orgId).withPlugin(removeOrgFilter())
  return {
    load: () => ({ inUse: 0, idle: 0, waiting: 0, max: 10 }),
    forOrg,
    transaction: async (orgId, work) => forOrg(orgId).transaction().execute(work),
    close: async () => undefined,
  }
}

/**
 * Imitates the mistake against which row-level security protects: removes every comparison of `org_id` with a value,
 * in built conditions and in raw SQL.
 */
function removeOrgFilter(): KyselyPlugin {
  const remover = new OrgFilterRemover()
  return {
    transformQuery: ({ node, queryId }) => remover.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  }
}

class OrgFilterRemover extends OperationNodeTransformer {
  protected override transformBinaryOperation(
    ...args: Parameters<OperationNodeTransformer['transformBinaryOperation']>
  ): BinaryOperationNode {
    const node = super.transformBinaryOperation(...args)
    const isFilter = isOrgId(node.leftOperand) && node.rightOperand.kind === 'ValueNode'
    return isFilter ? { ...node, leftOperand: node.rightOperand, rightOperand: ownValue(node) } : node
  }

  protected override transformRaw(...args: Parameters<OperationNodeTransformer['transformRaw']>): RawNode {
    const node = super.transformRaw(...args)
    const last = node.sqlFragments.length - 1
    const sqlFragments = node.sqlFragments.map((fragment, i) =>
      i < last ? fragment.replace(/(?:\w+\.)?org_id = $/, '0::bigint < ') : fragment,
    )
    return { ...node, sqlFragments }
  }
}

const ownValue = (node: BinaryOperationNode) =>
  ValueNode.create((node.rightOperand as OperationNode & { value: unknown }).value)

function isOrgId(node: OperationNode): boolean {
  const { column } = node as OperationNode & { column?: { column?: { name?: string } } }
  return node.kind === 'ReferenceNode' && column?.column?.name === 'org_id'
}
