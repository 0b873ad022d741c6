import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { claimedIssuer, userOfClaims, type ClaimRules, type Claims } from '#console/shared/oidc-claims.js';

const RULES: ClaimRules = {
  issuer: 'https://id.example.org',
  ...{ usernameClaim: 'sub', usernamePrefix: undefined, groupsClaim: 'groups', groupsPrefix: '' },
  requiredClaims: new Map(),
};
const byEmail = { usernameClaim: 'email' };
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a user', () => {
  test.each<[string, Claims, Partial<ClaimRules>, string]>([
    ['has the issuer before his name', { sub: 'ada' }, {}, 'https://id.example.org#ada'],
    ['has the prefix before his name', { sub: 'ada' }, { usernamePrefix: 'oidc:' }, 'oidc:ada'],
    [
      'has the issuer before his name with an empty prefix',
      { sub: 'ada' },
      { usernamePrefix: '' },
      `${RULES.issuer}#ada`,
    ],
    ['has nothing before his name with -', { sub: 'ada' }, { usernamePrefix: '-' }, 'ada'],
    ['has nothing before his email', { email: 'ada@x.org', email_verified: true }, byEmail, 'ada@x.org'],
    ['has an email of which nobody says whether it is verified', { email: 'ada@x.org' }, byEmail, 'ada@x.org'],
    ['has a prefix before his email', { email: 'a@x.org' }, { ...byEmail, usernamePrefix: 'oidc:' }, 'oidc:a@x.org'],
  ])('%s', (_, claims, rules, username) => {
    expect(userOfClaims(claims, { ...RULES, ...rules })).toEqual({ user: { username, groups: [] } });
  });

  test.each<[string, Claims, Partial<ClaimRules>, string]>([
    ['no name', {}, {}, 'the claim sub is missing'],
    ['an empty name', { sub: '' }, {}, 'the claim sub is missing'],
    ['a number as name', { sub: 1 }, {}, 'the claim sub is missing'],
    ['a name that every object has', {}, { usernameClaim: 'constructor' }, 'the claim constructor is missing'],
    ['an email that is not verified', { email: 'a@x.org', email_verified: false }, byEmail, 'not verified'],
    ['an email that is verified in words', { email: 'a@x.org', email_verified: 'true' }, byEmail, 'not verified'],
    ['a name of Kubernetes', { sub: 'system:admin' }, { usernamePrefix: '-' }, 'no user of this provider'],
    ['a name of Kubernetes with a prefix', { sub: 'stem:x' }, { usernamePrefix: 'sy' }, 'no user of this provider'],
    ['a space at the end of his name', { sub: 'alice ' }, {}, 'begins or ends with a space'],
    ['a line break in his name', { sub: 'a\nb' }, {}, 'control characters'],
    ['groups that are objects', { sub: 'a', groups: [{}] }, {}, 'names no groups'],
    ['too many groups', { sub: 'a', groups: Array.from({ length: 1_001 }, String) }, {}, 'more than 1000 groups'],
    ['not what is required', { sub: 'a' }, { requiredClaims: new Map([['hd', 'x.org']]) }, 'lacks the claim hd'],
    ['a list for it', { sub: 'a', hd: ['x'] }, { requiredClaims: new Map([['hd', 'x']]) }, 'lacks the claim hd'],
  ])('is not one with %s', (_, claims, rules, problem) => {
    expect(userOfClaims(claims, { ...RULES, ...rules })).toEqual({ problem: expect.stringContaining(problem) });
  });
});

describe('groups', () => {
  test.each<[string, unknown, Partial<ClaimRules>, string[]]>([
    ['in a list', ['dev', 'ops'], {}, ['dev', 'ops']],
    ['as one text', 'dev', {}, ['dev']],
    ['with a prefix', ['dev', 'system:masters'], { groupsPrefix: 'oidc:' }, ['oidc:dev', 'oidc:system:masters']],
    ['of Kubernetes, which do not count', ['system:masters', 'dev'], {}, ['dev']],
    ['of Kubernetes, once the space is lost', [' system:masters', 'system:masters ', '\tdev'], {}, []],
    ['made of Kubernetes by the prefix', ['stem:masters'], { groupsPrefix: 'sy' }, []],
    ['without a name', [''], { groupsPrefix: 'oidc:' }, []],
    ['that nobody asks for', ['dev'], { groupsClaim: undefined }, []],
    ['that are missing', undefined, {}, []],
  ])('%s', (_, groups, rules, expected) => {
    expect(userOfClaims({ sub: 'a', groups }, { ...RULES, ...rules })).toMatchObject({ user: { groups: expected } });
  });

  test('never begin as those of Kubernetes, whatever claims and prefix are', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('system:', 'system:masters', 'sys', 'tem:masters'));
    fc.assert(
      fc.property(fc.array(text), text, (groups, groupsPrefix) => {
        const named = userOfClaims({ sub: 'a', groups }, { ...RULES, groupsPrefix });
        const found = 'user' in named ? (named.user.groups ?? []) : [];
        expect(found.filter((group) => group.startsWith('system:'))).toEqual([]);
      }),
    );
  });
});

test.each<[string, string, string | undefined]>([
  ['of a JWT', `x.${part({ iss: 'https://a' })}.y`, 'https://a'],
  ['of one without an issuer', `x.${part({ sub: 'a' })}.y`, undefined],
  ['of one with a list of them', `x.${part({ iss: ['https://a'] })}.y`, undefined],
  ['of null', `x.${part(null)}.y`, undefined],
  ['of what is no JSON', 'x.y.z', undefined],
  ['of what has no parts', 'abc', undefined],
])('the issuer %s', (_, token, issuer) => expect(claimedIssuer(token)).toBe(issuer));
