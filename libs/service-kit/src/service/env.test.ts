import { expect, test } from 'vitest'
import { z } from 'zod'
import { brokerEnv, commonEnv, ConfigError, databaseEnv, loadEnv } from './env.ts'

const Config = z.object({ ...commonEnv, ...databaseEnv, ...brokerEnv })
const good = {
  ENVIRONMENT: 'preview',
  PORT: '8080',
  OPS_PORT: '9080',
  DATABASE_URL: 'postgres://catalog:secret@localhost/whereabouts',
  NATS_URL: 'nats://localhost:4222',
  NATS_PASSWORD: 'topsecret',
}

test('variables that are empty or not set get their default', () => {
  expect(loadEnv(Config, { ...good, HOST: '' })).toMatchObject({
    PORT: 8080,
    HOST: '0.0.0.0',
    LOG_LEVEL: 'info',
  })
})

test('one error names all bad variables and shows no value', () => {
  const env = {
    ...good,
    PORT: 'eighty',
    DATABASE_URL: 'mysql://root:hunter2@db',
    NATS_PASSWORD: '',
    LOG_LEVEL: 'loud',
  }
  const attempt = () => loadEnv(Config, env)
  expect(attempt).toThrow(ConfigError)
  expect(attempt).toThrow(/4 configuration variable/)
  for (const name of ['PORT', 'DATABASE_URL', 'NATS_PASSWORD is not set', 'LOG_LEVEL'])
    expect(attempt).toThrow(name)
  for (const value of ['eighty', 'hunter2', 'loud']) expect(attempt).not.toThrow(value)
})

test('S11 k the environment has no default, so that no token is one of production by accident', () => {
  for (const ENVIRONMENT of ['', 'staging'])
    expect(() => loadEnv(Config, { ...good, ENVIRONMENT })).toThrow(/ENVIRONMENT is not/)
  expect(loadEnv(Config, { ...good, ENVIRONMENT: 'local' }).ENVIRONMENT).toBe('local')
})
