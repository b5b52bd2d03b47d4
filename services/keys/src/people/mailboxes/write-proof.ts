import { hashSecret } from '../../credentials/secrets.ts'
import type { Tx } from '../../db.ts'
import type { Mails } from '../mail/mails.ts'
import { putProof } from './mailbox-proofs.queries.ts'

type Proof = { template: 'verification' | 'email_change'; userId: number; to: string }

/** A mail whose link proves the mailbox of its address. */
export async function writeProof(tx: Tx, mails: Mails, { template, userId, to }: Proof): Promise<void> {
  const id = mails.newId()
  await putProof(tx, { userId, email: to, tokenHash: hashSecret(mails.tokenOf(id)) })
  await mails.write(tx, { id, template, to, values: {} })
}
