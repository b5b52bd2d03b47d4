// Prints new Secrets for an installation in Kubernetes.
import { parseArgs } from 'node:util'
import { errorText } from '../error-text.ts'
import { generateSecrets } from '../installation/secrets.ts'
import { secretManifests, type Installation, type SecretManifest } from './secret-manifests.ts'

const HELP = `node deploy/kubernetes/make-secrets.ts --namespace NAME | kubectl create -f -

Print every Secret that k8s/ names, with new values. Use "create", not "apply": create keeps existing Secrets, and values
that differ from those in the database and the brokers would lock out all services. Without Node:
  docker run --rm IMAGE deploy/kubernetes/make-secrets.ts --namespace NAME | kubectl create -f -

  --namespace NAME   of the overlay
  --database NAME    default whereabouts
  --try              for k8s/overlays/try: its database has no encryption
  --large            for k8s/overlays/large: tracking has a database server of its own

Environment, so that no secret is an argument
  ADMIN_DATABASE_URL      an administrator of a PostgreSQL outside the cluster, on any database, with ?sslmode=… if needed.
                          Default: the database of k8s/components/postgres
  BACKUP_ACCESS_KEY_ID, BACKUP_SECRET_ACCESS_KEY
                          of the store for the backups of k8s/components/postgres. Without them, create the Secret
                          postgres-backups yourself
  OIDC_CLIENT_SECRET      of the provider of single sign-on. Without a provider, people sign in with passwords
  SMTP_URL                smtps://user:password@host:465 of the mail server. Without it, no mail is sent
`

/** YAML that needs no library: strings in quotes are JSON. */
function toYaml({ apiVersion, kind, metadata, type, stringData }: SecretManifest): string {
  const lines = [`apiVersion: ${apiVersion}`, `kind: ${kind}`, `metadata: ${JSON.stringify(metadata)}`]
  const values = Object.entries(stringData).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`)
  return [...lines, `type: ${type}`, 'stringData:', ...values, ''].join('\n')
}

function installationOf(
  given: Pick<Installation, 'namespace' | 'database' | 'plain' | 'large'>,
  env: NodeJS.ProcessEnv,
): Installation {
  const { ADMIN_DATABASE_URL: adminUrl, BACKUP_ACCESS_KEY_ID: accessKeyId } = env
  const secretAccessKey = env['BACKUP_SECRET_ACCESS_KEY']
  return {
    ...given,
    adminUrl: adminUrl || undefined,
    smtpUrl: env['SMTP_URL'] || undefined,
    oidcClientSecret: env['OIDC_CLIENT_SECRET'] || undefined,
    backups: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
  }
}

function main(): void {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      namespace: { type: 'string' },
      database: { type: 'string', default: 'whereabouts' },
      try: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(HELP)
  const { namespace, database, try: plain, large } = values
  if (!namespace) throw new Error('--namespace is missing; see --help')
  const installation = installationOf({ namespace, database, plain, large }, process.env)
  if (large && (plain || installation.adminUrl)) throw new Error('--large is for its own servers only')
  process.stdout.write(secretManifests(generateSecrets(), installation).map(toYaml).join('---\n'))
}

try {
  main()
} catch (error) {
  process.stderr.write(`make-secrets failed: ${errorText(error)}\n`)
  process.exitCode = 2
}
