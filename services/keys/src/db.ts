import type { ReaderFormat } from '@whereabouts/contracts/resources/tracking/readers'
import type { Role } from '@whereabouts/contracts/principal'
import type { OutboxTable } from '@whereabouts/db/outbox/outbox'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Template } from './people/mail/texts.en.ts'
import type { Generated, Kysely, Selectable, Transaction } from 'kysely'

type OrgTable = {
  id: Generated<number>
  name: string
  revision: Generated<number>
  subscription_ends_at: Generated<string | null>
  /** The number of its broker account; null until its readers log in over NATS, and again after 30 days without. */
  reader_account: Generated<number | null>
  reader_account_used_at: Generated<string | null>
  /** Keys that it may have at a time, neither revoked nor expired. */
  api_key_limit: Generated<number>
  /** What it may store, where that differs from the default. */
  limits: Generated<Record<string, number>>
  /** Days of history that it keeps, by type of asset, where that differs from the installation's. */
  retention_days: Generated<Record<string, number>>
  /** IANA name. */
  timezone: Generated<string>
  /** Since then nobody has access, and its rows are erased. */
  deleted_at: Generated<string | null>
  created_at: Generated<string>
}

/** A deleted organization; stays for good, see migration 0110. */
type DeletedOrgTable = {
  id: number
  revision: Generated<number>
  deleted_at: Generated<string>
  /** When rows of it are looked for; null if that is over. */
  next_at: Generated<string | null>
  /** Rows that were erased, by service. */
  erased: Generated<Record<string, number>>
  /** When no row was left. */
  gone_at: string | null
}

type MqttClientTable = {
  client_id: string
  org_id: number
  used_at: Generated<string>
}

type UserTable = {
  id: Generated<number>
  name: string
  email: string
  email_key: string
  password_hash: Buffer
  password_salt: Buffer
  password_memory_kib: number
  password_passes: number
  password_parallelism: number
  /** When its user last proved to read the mailbox; null for an address that nobody has proved. */
  email_verified_at: Generated<string | null>
  /** Since when a sign-in needs a one-time code; null: it does not. */
  second_factor_at: Generated<string | null>
  created_at: Generated<string>
}

type SecondFactorTable = {
  user_id: number
  /** Sealed. */
  secret: Buffer
  /** The time step of the last code that was used. Neither it nor one before it is good again. */
  used_step: Generated<number>
  created_at: Generated<string>
}

type RecoveryCodeTable = {
  user_id: number
  code_hash: Buffer
}

type MembershipTable = {
  org_id: number
  user_id: number
  role: Role
  revision: Generated<number>
  created_at: Generated<string>
}

type InvitationTable = {
  org_id: number
  id: Generated<number>
  email: string
  email_key: string
  role: Role
  token_hash: Buffer
  /** The mail with it, if one was sent, and the token of that mail, which proves the mailbox. */
  mail_id: Generated<string | null>
  mail_token_hash: Generated<Buffer | null>
  /** When it was given up to deliver that mail. */
  mail_failed_at: Generated<string | null>
  /** Null: the operator. */
  created_by: number | null
  created_at: Generated<string>
  expires_at: string
}

type MailTable = {
  id: string
  template: Template
  recipient: string
  details: unknown
  attempts: Generated<number>
  created_at: Generated<string>
  next_attempt_at: Generated<string>
  expires_at: string
}

type MailboxProofTable = {
  token_hash: Buffer
  user_id: number
  /** The address of the mailbox: that of the user, or the one they want. */
  email: string
  email_key: string
  created_at: Generated<string>
  expires_at: string
}

type LinkedSubjectTable = {
  issuer: string
  subject: string
  user_id: number
  linked_at: Generated<string>
}

type SignOnTable = {
  browser_hash: Buffer
  expires_at: string
}

type SignOnCodeTable = {
  code_hash: Buffer
  browser_hash: Buffer
  user_id: number
  expires_at: string
}

type PasswordResetTable = {
  token_hash: Buffer
  /** Of the administrator who made the link; null for a link of the operator, or in a mail. */
  org_id: number | null
  /** The mail with the link, whose token then proves the mailbox. */
  mail_id: Generated<string | null>
  user_id: number
  created_by: number | null
  created_at: Generated<string>
  expires_at: string
}

type ProvisioningLinkTable = {
  org_id: number
  id: Generated<number>
  reader_key: string
  format: ReaderFormat
  token_hash: Buffer
  created_by: number
  created_at: Generated<string>
  expires_at: string
}

type ApiKeyTable = {
  org_id: number
  id: Generated<number>
  jti: Generated<string>
  name: string
  scopes: string[]
  secret_hash: Buffer
  /** The only reader it may publish for; null for any. */
  reader_key: Generated<string | null>
  rate_limit_per_minute: Generated<number | null>
  message_rate_per_second: Generated<number | null>
  revision: Generated<number>
  created_by: number | null
  created_by_key_id: number | null
  created_at: Generated<string>
  expires_at: string | null
  revoked_at: Generated<string | null>
  last_used_at: Generated<string | null>
  /** When a reader with it was first seen to send something. */
  first_message_at: Generated<string | null>
  /** When a device last logged in with it over NATS or MQTT, or was seen to send. Unlike `last_used_at`, without tokens. */
  broker_used_at: Generated<string | null>
}

type PendingDisconnectTable = {
  jti: string
  created_at: Generated<string>
  next_at: Generated<string>
}

type ReaderSuspensionTable = {
  jti: string
  org_id: number
  suspended_at: Generated<string>
  until: string
  strikes: Generated<number>
}

type TokenChainTable = {
  org_id: number
  id: Generated<string>
  key_id: number | null
  user_id: number | null
  scopes: string[] | null
  created_at: Generated<string>
  expires_at: string
  revoked_at: Generated<string | null>
}

type RefreshTokenTable = {
  hash: Buffer
  org_id: number
  chain_id: string
  created_at: Generated<string>
  expires_at: string
  spent_at: Generated<string | null>
}

type SigningKeyTable = {
  kid: string
  state: 'next' | 'active' | 'retired'
  public_key: string
  private_key: Buffer
  created_at: Generated<string>
  activated_at: Generated<string | null>
  retired_at: Generated<string | null>
}

type AuditTable = {
  org_id: number
  seq: number
  id: string
  at: string
  recorded_at: string
  actor_type: string
  actor_id: number | null
  actor_name: string | null
  action: string
  subject_type: string
  subject_id: number | null
  subject_key: string | null
  changes: unknown
  ip: string | null
  request_id: string | null
}

type AuditHeadTable = {
  org_id: number
  seq: number
  recorded_at: string
  removed_seq: Generated<number>
}

export type KeysDatabase = {
  audit: AuditTable
  audit_head: AuditHeadTable
  org: OrgTable
  deleted_org: DeletedOrgTable
  app_user: UserTable
  second_factor: SecondFactorTable
  recovery_code: RecoveryCodeTable
  membership: MembershipTable
  invitation: InvitationTable
  mail: MailTable
  mailbox_proof: MailboxProofTable
  password_reset: PasswordResetTable
  linked_subject: LinkedSubjectTable
  sign_on: SignOnTable
  sign_on_code: SignOnCodeTable
  provisioning_link: ProvisioningLinkTable
  api_key: ApiKeyTable
  pending_disconnect: PendingDisconnectTable
  mqtt_client: MqttClientTable
  reader_suspension: ReaderSuspensionTable
  token_chain: TokenChainTable
  refresh_token: RefreshTokenTable
  signing_key: SigningKeyTable
  outbox: OutboxTable
}

/** Statements that see the rows of one organization. */
export type Tenants = TenantDatabase<KeysDatabase>
/** A pool or an open transaction. */
export type Db = Kysely<KeysDatabase>
/** For steps that must commit together with others. */
export type Tx = Transaction<KeysDatabase>

export type OrgRow = Selectable<OrgTable>
export type DeletedOrgRow = Selectable<DeletedOrgTable>
export type UserRow = Selectable<UserTable>
export type SecondFactorRow = Selectable<SecondFactorTable>
export type MembershipRow = Selectable<MembershipTable>
export type InvitationRow = Selectable<InvitationTable>
export type MailRow = Selectable<MailTable>
export type MailboxProofRow = Selectable<MailboxProofTable>
export type ProvisioningLinkRow = Selectable<ProvisioningLinkTable>
export type ApiKeyRow = Selectable<ApiKeyTable>
export type SigningKeyRow = Selectable<SigningKeyTable>
