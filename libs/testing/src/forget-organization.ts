import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import {
  OperationNodeTransformer,
  ValueNode,
  type BinaryOperationNode,
  type Kysely,
  type KyselyPlugin,
  type OperationNode,
  type RawNode,
} from 'kysely'

/** The service's database as requests see it, whose statements all forget the organization. */
export function forgetting<T>(open: (orgId: number) => Kysely<T>): TenantDatabase<T> {
  const forOrg = (orgId: number) => open(orgId).withPlugin(forgetOrganization())
  return {
    connections: 10,
    load: () => ({ inUse: 0, idle: 0, waiting: 0, max: 10 }),
    forOrg,
    transaction: async (orgId, work) => forOrg(orgId).transaction().execute(work),
    close: async () => undefined,
  }
}

/**
 * The mistake that row-level security is there for: statements lose every comparison of `org_id` with a value, in
 * built conditions and in raw SQL alike.
 */
function forgetOrganization(): KyselyPlugin {
  const forgetful = new Forgetful()
  return {
    transformQuery: ({ node, queryId }) => forgetful.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  }
}

class Forgetful extends OperationNodeTransformer {
  protected override transformBinaryOperation(
    ...args: Parameters<OperationNodeTransformer['transformBinaryOperation']>
  ): BinaryOperationNode {
    const node = super.transformBinaryOperation(...args)
    const forgotten = isOrgId(node.leftOperand) && node.rightOperand.kind === 'ValueNode'
    return forgotten ? { ...node, leftOperand: node.rightOperand, rightOperand: ownValue(node) } : node
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
