import { describe, expect, test } from '@jest/globals';
import { claimRulesOf } from '#console/server/oidc-options.js';
import { parseConsoleOptions } from '#console/server/options.js';

const USED = { oidcIssuerUrl: 'https://id.example.org/realm', oidcClientId: 'fairlead' };

describe('the flags of OIDC', () => {
  test('name nobody without an issuer', () => expect(claimRulesOf(parseConsoleOptions({}))).toBeUndefined());

  test('have the defaults of kube-apiserver', () => {
    const options = parseConsoleOptions(USED);
    expect(claimRulesOf(options)).toEqual({
      issuer: USED.oidcIssuerUrl,
      ...{ usernameClaim: 'sub', usernamePrefix: undefined, groupsClaim: undefined, groupsPrefix: '' },
      requiredClaims: new Map(),
    });
    expect(options.oidcSigningAlgorithms).toEqual(['RS256']);
  });

  test('are lists where there may be several', () => {
    const raw = { ...USED, oidcRequiredClaims: 'hd=x.org,team=a=b', oidcSigningAlgorithms: 'ES256,RS256' };
    const { oidcRequiredClaims, oidcSigningAlgorithms } = parseConsoleOptions(raw);
    expect([...oidcRequiredClaims]).toEqual([
      ['hd', 'x.org'],
      ['team', 'a=b'],
    ]);
    expect(oidcSigningAlgorithms).toEqual(['ES256', 'RS256']);
  });

  test.each<[string, Record<string, string>, string]>([
    ['an issuer by plain HTTP', { oidcIssuerUrl: 'http://id.example.org' }, '--oidc-issuer-url: "http://id'],
    ['an issuer with a query', { oidcIssuerUrl: 'https://id.example.org?a=b' }, '--oidc-issuer-url:'],
    ['an issuer with a password', { oidcIssuerUrl: 'https://a:b@id.example.org' }, '--oidc-issuer-url:'],
    ['an issuer without a client', { oidcIssuerUrl: 'https://id.example.org' }, 'set both or none'],
    ['a client without an issuer', { oidcClientId: 'a' }, 'set both or none'],
    ['groups without an issuer', { oidcGroupsClaim: 'groups' }, '--oidc-groups-claim: it needs --oidc-issuer-url'],
    ['a prefix of Kubernetes', { ...USED, oidcGroupsPrefix: 'system:' }, '--oidc-groups-prefix: "system:" is not'],
    ['a name of Kubernetes', { ...USED, oidcUsernamePrefix: 'system:node:' }, '--oidc-username-prefix:'],
    ['a claim without a value', { ...USED, oidcRequiredClaims: 'hd' }, '--oidc-required-claim: "hd" is not a list'],
    ['a key that everybody has', { ...USED, oidcSigningAlgorithms: 'HS256' }, '--oidc-signing-algs: "HS256" is not'],
    ['no signature', { ...USED, oidcSigningAlgorithms: 'none' }, '--oidc-signing-algs: "none" is not'],
  ])('refuse %s', (_, raw, message) => expect(() => parseConsoleOptions(raw)).toThrow(message));
});
