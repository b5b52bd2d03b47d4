import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { BEARER, validationFailed, unauthorized } from '@whereabouts/service-kit/errors/errors'

/** One text for unknown, revoked, expired and wrong: a response must not tell which keys exist (D9.1). */
export const invalidClient = () => unauthorized('Invalid client credentials')
export const invalidLogin = () => unauthorized('Invalid email or password')
/** One text for a missing and a wrong code, only after a right password (D15.2). */
export const secondFactorRequired = () =>
  new AppError(
    'unauthorized',
    'Enter a code of your authenticator app that you have not used yet, or a recovery code',
    { secondFactor: true, headers: BEARER },
  )
export const codesAreOn = () =>
  new AppError('conflict', 'One-time codes are on. Switch them off to begin with another app')
export const codesAreOff = () => new AppError('not_found', 'One-time codes are not on')
export const noPendingSecret = () =>
  new AppError('not_found', 'No secret waits for a code. Get one, and send a code of it within 10 minutes')
export const wrongCode = () =>
  validationFailed([
    { field: 'code', code: 'invalid_value', message: 'code is wrong, was used before or is too old' },
  ])
export const invalidInvitation = () => unauthorized('Invalid or expired invitation')
export const invitationUnusable = () =>
  new AppError('not_found', 'The invitation was used, has expired or was withdrawn. Ask for a new one.')
export const invitedSomebodyElse = () =>
  new AppError('conflict', 'The invitation is for another e-mail address')
export const invalidResetLink = () => unauthorized('Invalid or expired reset link')
export const invalidMailLink = () => unauthorized('Invalid or expired link')
export const invalidSignOnCode = () => unauthorized('Invalid or expired code')
export const passwordsClosed = () =>
  new AppError('forbidden', 'Passwords are not used here. Use single sign-on: GET /api/v1/auth/oidc/start')
export const noOrganization = () =>
  new AppError(
    'forbidden',
    'You belong to no organization here. Ask an administrator to add you to a group that may sign on.',
  )
export const wrongPassword = () =>
  validationFailed([
    { field: 'password', code: 'invalid_value', message: 'password is not the password of this account' },
  ])
export const ownResetLink = () => new AppError('conflict', 'Change your own password in your account')
export const belongsElsewhere = () =>
  new AppError(
    'conflict',
    'The person belongs to other organizations too. Only the operator of the server can make a reset link for them.',
  )
export const linkUnusable = () =>
  new AppError('not_found', 'The link was used, has expired or was withdrawn. Ask for a new one.')
export const tooManyLinks = (limit: number) =>
  new AppError(
    'conflict',
    `The organization has ${limit} links for readers that are not used yet, the most it may have. Use them, or wait until one expires.`,
  )
export const keyRevoked = () => unauthorized('API key has been revoked')
export const keyOnly = () => unauthorized('An API key access token is required')
export const sessionOnly = () => new AppError('forbidden', 'A signed-in user is required')
export const orgNotFound = () => new AppError('not_found', 'Organization not found')
export const tooManyKeys = (limit: number) =>
  new AppError(
    'conflict',
    `The organization has ${limit} API keys that are neither revoked nor expired, the most it may have. Revoke those that are not used, or ask the operator for more.`,
  )
export const apiKeyNotFound = () => new AppError('not_found', 'API key not found')
export const memberNotFound = () => new AppError('not_found', 'Member not found')
export const invitationNotFound = () => new AppError('not_found', 'Invitation not found')
export const lastAdmin = () =>
  new AppError('conflict', 'The organization must keep at least one administrator')
export const alreadyMember = () =>
  new AppError('conflict', 'The user is already a member of the organization')
export const emailTaken = () => new AppError('conflict', 'email is already registered')
export const otherOrganization = () =>
  new AppError('forbidden', 'The credential belongs to another organization')
export const tooManyAttempts = (waitSeconds: number) =>
  new AppError('rate_limited', `Retry after ${waitSeconds} seconds`, {
    headers: { 'retry-after': String(waitSeconds) },
  })
export const boundToMoreThanScans = () =>
  validationFailed([
    {
      field: 'reader_key',
      code: 'invalid_value',
      message: 'reader_key needs scans:write as the only scope',
    },
  ])
export const scopeNotAvailable = (available: readonly string[]) =>
  validationFailed([
    {
      field: 'scope',
      code: 'invalid_value',
      message: `scope must name scopes that the key has: ${available.join(' ')}`,
      params: { allowed_values: [...available] },
    },
  ])
export const wrongCurrentPassword = () =>
  validationFailed([
    {
      field: 'current_password',
      code: 'invalid_value',
      message: 'current_password is not the password of this account',
    },
  ])
export const sessionNotFound = () => new AppError('not_found', 'Session not found')
export const expiresInThePast = () =>
  validationFailed([
    { field: 'expires_at', code: 'invalid_value', message: 'expires_at must lie in the future' },
  ])
