import type { OptionRow } from '#manager/option-row.js';
import type { ClaimRules } from '../shared/oidc-claims.js';

const NAME = { value: 'name', parse: (text: string) => (text === '' ? undefined : text) };
/** What a JWT may be signed with: a key that only the provider has. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];
const RESERVED = 'system:';

/** As kube-apiserver: by TLS, and without anything that a path cannot be added to. */
function issuerUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = !/[?#@\s]/.test(text);
  return url?.protocol === 'https:' && isPlain ? text : undefined;
}

/** No name of Kubernetes itself. */
function prefix(text: string): string | undefined {
  return text.startsWith(RESERVED) ? undefined : text;
}

function requiredClaims(text: string): ReadonlyMap<string, string> | undefined {
  const pairs = text.split(',').filter((each) => each !== '');
  const claims = pairs.map((each) => /^([^=]+)=(.*)$/.exec(each)?.slice(1) as [string, string] | undefined);
  return claims.includes(undefined) ? undefined : new Map(claims.filter((each) => each !== undefined));
}

function algorithms(text: string): readonly string[] | undefined {
  const names = text.split(',');
  return names.every((each) => ALGORITHMS.includes(each)) ? names : undefined;
}

/** Whose tokens name users, and how. */
export interface OidcOptions {
  readonly oidcIssuerUrl: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcUsernameClaim: string;
  readonly oidcUsernamePrefix: string | undefined;
  readonly oidcGroupsClaim: string | undefined;
  readonly oidcGroupsPrefix: string;
  readonly oidcRequiredClaims: ReadonlyMap<string, string>;
  readonly oidcSigningAlgorithms: readonly string[];
  readonly oidcCaFile: string | undefined;
}

/** Flags as kube-apiserver has them. */
export const OIDC_OPTIONS: readonly OptionRow[] = [
  {
    ...{ key: 'oidcIssuerUrl', flag: 'oidc-issuer-url', value: 'url', parse: issuerUrl },
    expects: 'an https URL without user, query and fragment',
    description:
      'URL of an OpenID Connect provider whose tokens name users. Default: only the API server knows tokens.',
  },
  {
    ...{ key: 'oidcClientId', flag: 'oidc-client-id', ...NAME },
    description: 'Client that its tokens have to be for.',
  },
  {
    ...{ key: 'oidcUsernameClaim', flag: 'oidc-username-claim', ...NAME, defaultValue: 'sub' },
    description: 'Claim that is the name of the user. An `email` counts unless `email_verified` is false.',
  },
  {
    ...{ key: 'oidcUsernamePrefix', flag: 'oidc-username-prefix', value: 'prefix', parse: prefix },
    expects: `a prefix that does not begin with ${RESERVED}`,
    description: 'What is put before it; `-` for nothing. Default: the URL of the issuer and `#`, for `email` nothing.',
  },
  {
    ...{ key: 'oidcGroupsClaim', flag: 'oidc-groups-claim', ...NAME },
    description: 'Claim that has the groups of the user. Default: tokens name no groups.',
  },
  {
    ...{ key: 'oidcGroupsPrefix', flag: 'oidc-groups-prefix', value: 'prefix', defaultValue: '', parse: prefix },
    expects: `a prefix that does not begin with ${RESERVED}`,
    description: 'What is put before each group. Groups that begin with `system:` never count.',
  },
  {
    ...{ key: 'oidcRequiredClaims', flag: 'oidc-required-claim', value: 'claims', defaultValue: '' },
    ...{ parse: requiredClaims, expects: 'a list of KEY=VALUE, separated by commas' },
    description: 'Claims that tokens need, as KEY=VALUE, separated by commas.',
  },
  {
    ...{ key: 'oidcSigningAlgorithms', flag: 'oidc-signing-algs', value: 'names', defaultValue: 'RS256' },
    ...{ parse: algorithms, expects: `a list of ${ALGORITHMS.join(', ')}, separated by commas` },
    description: 'Algorithms that tokens may be signed with, separated by commas.',
  },
  {
    ...{ key: 'oidcCaFile', flag: 'oidc-ca-file', value: 'file', parse: NAME.parse },
    description:
      'Certificates (PEM) of the authorities of the provider, read at the start. Default: those of the system.',
  },
];

/** Sentences on flags that make no sense together. */
export function oidcProblems(options: OidcOptions): string[] {
  const { oidcIssuerUrl, oidcClientId, oidcUsernamePrefix, oidcGroupsClaim, oidcCaFile } = options;
  const isUsed = oidcIssuerUrl !== undefined;
  const others = {
    'oidc-username-prefix': oidcUsernamePrefix,
    'oidc-groups-claim': oidcGroupsClaim,
    'oidc-ca-file': oidcCaFile,
  };
  const vain = Object.entries(others).filter(([, value]) => value !== undefined && !isUsed);
  return [
    ...(isUsed === (oidcClientId !== undefined) ? [] : ['--oidc-issuer-url and --oidc-client-id: set both or none']),
    ...vain.map(([flag]) => `--${flag}: it needs --oidc-issuer-url`),
  ];
}

/** How tokens name users; undefined without a provider. */
export function claimRulesOf(options: OidcOptions): ClaimRules | undefined {
  if (options.oidcIssuerUrl === undefined) return undefined;
  return {
    issuer: options.oidcIssuerUrl,
    usernameClaim: options.oidcUsernameClaim,
    usernamePrefix: options.oidcUsernamePrefix,
    groupsClaim: options.oidcGroupsClaim,
    groupsPrefix: options.oidcGroupsPrefix,
    requiredClaims: options.oidcRequiredClaims,
  };
}
