import type { Db, OrgRow, Tx } from '../db.ts'

export function insertOrg(tx: Tx, name: string): Promise<OrgRow> {
  return tx.insertInto('org').values({ name }).returningAll().executeTakeFirstOrThrow()
}

export function findOrg(db: Db, orgId: number): Promise<OrgRow | undefined> {
  return db.selectFrom('org').selectAll().where('id', '=', orgId).executeTakeFirst()
}
