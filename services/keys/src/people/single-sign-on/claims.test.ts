import { describe, expect, test } from 'vitest'
import { identityOf, isIncomplete } from './claims.rules.ts'
import { groupRoles, rolesOf } from './roles.rules.ts'

const SELF = { iss: 'https://provider.example', sub: 'ada' }
const groups = (claims: object, name = 'groups') => identityOf({ ...SELF, ...claims }, {}, name).groups

describe('D15.5 the groups of a person', () => {
  test.for([
    { name: 'an array', claims: { groups: ['a', 'b'] }, claim: 'groups', want: ['a', 'b'] },
    { name: 'no claim', claims: {}, claim: 'groups', want: [] },
    { name: 'null', claims: { groups: null }, claim: 'groups', want: [] },
    { name: 'a text', claims: { groups: 'a' }, claim: 'groups', want: ['a'] },
    { name: 'other things', claims: { groups: [1, null, 'a', {}] }, claim: 'groups', want: ['a'] },
    { name: 'a path', claims: { realm: { roles: ['a'] } }, claim: 'realm.roles', want: ['a'] },
    {
      name: 'a name with dots',
      claims: { 'https://x.example/g': ['a'] },
      claim: 'https://x.example/g',
      want: ['a'],
    },
    { name: 'an inherited name', claims: {}, claim: 'constructor.name', want: [] },
  ])('$name', ({ claims, claim, want }) => expect(groups(claims, claim)).toEqual(want))
})

describe('D15.5 an address is verified', () => {
  test.for([
    { value: true, want: true },
    { value: false, want: false },
    { value: undefined, want: false },
    { value: 'true', want: false },
    { value: 1, want: false },
  ])('for $value: $want', ({ value, want }) => {
    const claims = { ...SELF, email: 'ada@x.example', email_verified: value }
    expect(identityOf(claims, {}, 'groups').emailVerified).toBe(want)
  })

  test('only with the proof from the place of the address', () => {
    const both = identityOf(
      { ...SELF, email: 'ada@x.example' },
      { email: 'eve@x.example', email_verified: true },
      'groups',
    )
    expect(both).toMatchObject({ email: 'ada@x.example', emailVerified: false })
  })
})

test('the userinfo endpoint is asked only for what the ID token lacks', () => {
  const whole = { ...SELF, email: 'ada@x.example', name: 'Ada', groups: [] }
  expect(isIncomplete(whole, 'groups')).toBe(false)
  for (const name of ['email', 'name', 'groups'])
    expect(isIncomplete({ ...whole, [name]: undefined }, 'groups')).toBe(true)
})

describe('OIDC_ROLES', () => {
  test('are read, with `=` and `:` in a group', () => {
    expect(groupRoles('staff=7:member, cn=a:b=8:admin,')).toEqual([
      { group: 'staff', orgId: 7, role: 'member' },
      { group: 'cn=a:b', orgId: 8, role: 'admin' },
    ])
  })

  test.for([
    'staff',
    'staff=7',
    'staff=7:owner',
    '=7:admin',
    'staff=0:admin',
    'staff=x:admin',
    'a=99999999999999999:admin',
  ])('are refused as %s', (text) => expect(groupRoles(text)).toBeUndefined())

  test('give the highest role of several groups, by organization', () => {
    const mapped = groupRoles('a=8:viewer,b=8:admin,c=8:member,d=7:viewer,e=9:admin') ?? []
    expect(rolesOf(['a', 'b', 'c', 'd'], mapped)).toEqual([
      [7, 'viewer'],
      [8, 'admin'],
    ])
    expect(rolesOf([], mapped)).toEqual([])
  })
})
