import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

/** Runs the script with a program that only prints its arguments in place of Alertmanager. */
function start(variables: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'alertmanager-'))
  try {
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin/alertmanager'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 })
    const file = join(folder, 'alertmanager.yml')
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      ALERTMANAGER_CONFIG: file,
      ...variables,
    }
    const script = join(import.meta.dirname, 'alertmanager.sh')
    const { status, stdout, stderr } = spawnSync('sh', [script, '--storage.path=/data'], {
      env,
      encoding: 'utf8',
    })
    if (status !== 0) return { status, stderr }
    expect(stdout.trim()).toBe(`--config.file=${file} --storage.path=/data`)
    expect(statSync(file).mode & 0o077).toBe(0)
    return { status, config: parse(readFileSync(file, 'utf8')) as unknown }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('all alerts go to the webhook', () => {
  expect(start({ ALERT_WEBHOOK_URL: "https://hooks.example/it's?a=1#b" }).config).toMatchObject({
    route: { receiver: 'operator' },
    receivers: [
      {
        name: 'operator',
        webhook_configs: [{ url: "https://hooks.example/it's?a=1#b", send_resolved: true }],
      },
    ],
  })
})

test('all alerts go to an address, with the password as it is', () => {
  const smtp = {
    SMTP_HOST: 'mail.example:587',
    SMTP_FROM: 'w@example.com',
    SMTP_USER: 'w',
    SMTP_PASSWORD: `a'"$ #\\: b`,
  }
  const { config } = start({ ALERT_EMAIL_TO: 'ops@example.com', ...smtp })
  expect(config).toMatchObject({
    receivers: [
      {
        email_configs: [
          {
            to: 'ops@example.com',
            from: 'w@example.com',
            smarthost: 'mail.example:587',
            auth_username: 'w',
            auth_password: smtp.SMTP_PASSWORD,
          },
        ],
      },
    ],
  })
})

test.for([
  [{}, 'set ALERT_WEBHOOK_URL or ALERT_EMAIL_TO'],
  [{ ALERT_EMAIL_TO: 'ops@example.com' }, 'needs SMTP_HOST'],
] as const)('without a receiver it does not start: %j', ([variables, text]) => {
  const { status, stderr } = start(variables)
  expect(status).toBe(78)
  expect(stderr).toContain(text)
})
