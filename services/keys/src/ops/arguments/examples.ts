import type { Request } from './request.ts'

/** For the help: an example of every command. */
export const EXAMPLES: Record<Request['command'], string> = {
  'org create': "org create --name Acme --admin-email ada@acme.example --admin-name 'Ada Okoro'",
  'org add-admin': 'org add-admin Acme grace@acme.example',
  'org list': 'org list --q acme',
  'org limit': 'org limit Acme api_keys 500',
  'org usage': 'org usage Acme',
  'org subscription': 'org subscription Acme --ends-at 2027-01-31T00:00:00Z',
  'org timezone': 'org timezone Acme Europe/Berlin',
  'org delete': 'org delete Acme --yes',
  'user reset-link': 'user reset-link ada@acme.example --console https://whereabouts.example',
  'user codes-off': 'user codes-off ada@acme.example',
  'user sign-on-link': 'user sign-on-link ada@acme.example 0a6f7c1e-8f5e-4d2c-9b1a-3f4e5d6c7b8a',
  'user sign-on-unlink': 'user sign-on-unlink ada@acme.example',
  'key list': 'key list --org Acme --all',
  'key limit': 'key limit 7 --per-minute 600',
  'key message-rate': 'key message-rate 7 --per-second default',
  'key revoke': 'key revoke 7',
  'signing-keys list': 'signing-keys list --json',
  'signing-keys rotate': 'signing-keys rotate',
  'broker reload': 'broker reload',
}
