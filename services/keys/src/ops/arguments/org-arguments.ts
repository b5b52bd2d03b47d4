import { settableLimits } from '@whereabouts/contracts/resources/keys/storage-limits'
import { Argument, type Command } from 'commander'
import { CONSOLE, newCommand, withPage, type Found, type Json } from './new-command.ts'
import type { Page, SettableLimit } from './request.ts'
import { amountOrDefault, emailAddress, instantOrNever, orgReference, timeZone } from './values.ts'

export function addOrgCommands(orgs: Command, found: Found): void {
  type Create = Json & { name: string; adminEmail: string; adminName: string; passwordStdin?: true }
  newCommand(orgs, 'org create')
    .description('Create an organization with its first administrator. A generated password is shown once.')
    .requiredOption('--name <name>', 'of the organization')
    .requiredOption('--admin-email <address>', 'of the administrator, who signs in with it')
    .requiredOption('--admin-name <name>', 'of the administrator')
    .option('--password-stdin', 'read the password from standard input instead of generating one')
    .action(({ json, passwordStdin, ...given }: Create) =>
      found({ command: 'org create', ...given, passwordStdin: passwordStdin ?? false, json: json ?? false }),
    )
  newCommand(orgs, 'org add-admin')
    .description(
      'Make a person an administrator. Without an account whose address is verified, they get the printed invitation.',
    )
    .argument('<org>', 'id or name, as "org list" shows them', orgReference)
    .argument('<email>', 'of the person', emailAddress)
    .option(...CONSOLE)
    .action(
      (org: number | string, email: string, { json, console: consoleUrl }: Json & { console?: string }) =>
        found({ command: 'org add-admin', org, email, consoleUrl, json: json ?? false }),
    )
  withPage(newCommand(orgs, 'org list'))
    .description('List organizations by name.')
    .option('--q <text>', "only those with this text in their name or in a member's e-mail address")
    .action(({ json, q, limit, offset }: Json & Page & { q?: string }) =>
      found({ command: 'org list', q, limit, offset, json: json ?? false }),
    )
  newCommand(orgs, 'org limit')
    .description('Set how much of something an organization may store. The services follow within a second.')
    .argument('<org>', 'id or name, as "org list" shows them', orgReference)
    .addArgument(new Argument('<name>', 'what; bytes where the name ends so').choices(settableLimits))
    .argument('<value|default>', 'a whole number, or the default again', amountOrDefault)
    .action((org: number | string, name: SettableLimit, value: number | 'default', { json }: Json) =>
      found({
        command: 'org limit',
        org,
        name,
        value: value === 'default' ? null : value,
        json: json ?? false,
      }),
    )
  withPage(newCommand(orgs, 'org usage'))
    .description('Show what an organization stores and may store, or the fullest limit of each organization.')
    .argument('[org]', 'id or name, as "org list" shows them', orgReference)
    .action((org: number | string | undefined, { json, limit, offset }: Json & Page) =>
      found({ command: 'org usage', org, limit, offset, json: json ?? false }),
    )
  newCommand(orgs, 'org subscription')
    .description('Set the end of a subscription. From then on, webhooks of the organization are not called.')
    .argument('<org>', 'id or name, as "org list" shows them', orgReference)
    .requiredOption('--ends-at <instant|never>', 'RFC 3339, like 2027-01-31T00:00:00Z', instantOrNever)
    .action((org: number | string, { json, endsAt }: Json & { endsAt: string }) =>
      found({
        command: 'org subscription',
        org,
        endsAt: endsAt === 'never' ? null : endsAt,
        json: json ?? false,
      }),
    )
}

export function addOrgEndCommands(orgs: Command, found: Found): void {
  newCommand(orgs, 'org delete')
    .description(
      'Delete an organization. Its access ends within a second, and all that it stored is erased within a day, for good.',
    )
    .argument('<org>', 'id or name, as "org list" shows them', orgReference)
    .option('--yes', 'really delete it; without it, says what would be deleted')
    .action((org: number | string, { json, yes }: Json & { yes?: true }) =>
      found({ command: 'org delete', org, yes: yes ?? false, json: json ?? false }),
    )
  newCommand(orgs, 'org timezone')
    .description('Show or set the time zone of an organization.')
    .argument('<org>', 'id or name, as "org list" shows them', orgReference)
    .argument('[zone]', 'IANA name, like Europe/Berlin', timeZone)
    .action((org: number | string, timezone: string | undefined, { json }: Json) =>
      found({ command: 'org timezone', org, timezone, json: json ?? false }),
    )
}
