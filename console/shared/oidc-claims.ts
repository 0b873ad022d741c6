import type { UserInfo } from '#api/core.js';

/** Claims of a token whose signature was verified. */
export type Claims = Readonly<Record<string, unknown>>;

/** How claims name a user: the flags of kube-apiserver of these names. */
export interface ClaimRules {
  readonly issuer: string;
  readonly usernameClaim: string;
  /** Undefined or empty: the issuer and `#`, except for `email`; `-`: nothing. */
  readonly usernamePrefix: string | undefined;
  /** Undefined: tokens name no groups. */
  readonly groupsClaim: string | undefined;
  readonly groupsPrefix: string;
  /** Claims that must be there, with exactly these values. */
  readonly requiredClaims: ReadonlyMap<string, string>;
}

/** The user that claims name, or why they name none. */
export type Named = { readonly user: UserInfo } | { readonly problem: string };

const EMAIL = 'email';
/** Names of Kubernetes itself: some of them may do everything, whatever the roles say. */
const RESERVED = 'system:';
const MOST_GROUPS = 1_000;
/** Headers lose outer spaces: the API server would take the name for another one. */
const NO_NAME = /^\s|\s$|[\u0000-\u001f\u007f]/;

function prefixOf({ usernamePrefix, usernameClaim, issuer }: ClaimRules): string {
  if (usernamePrefix === '-') return '';
  if (usernamePrefix !== undefined && usernamePrefix !== '') return usernamePrefix;
  return usernameClaim === EMAIL ? '' : `${issuer}#`;
}

function ownValue(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}

/** One group as a text, or several as a list, as providers write them. Throws a RangeError on anything else. */
function groupsOf(claims: Claims, { groupsClaim, groupsPrefix }: ClaimRules): string[] {
  const value = groupsClaim === undefined ? undefined : ownValue(claims, groupsClaim);
  const values: unknown[] = [value ?? []].flat();
  const groups = values.filter((each) => typeof each === 'string');
  if (groups.length !== values.length) throw new RangeError(`the claim ${groupsClaim ?? ''} names no groups`);
  if (groups.length > MOST_GROUPS) throw new RangeError(`the token names more than ${MOST_GROUPS} groups`);
  const prefixed = groups.filter((group) => group !== '').map((group) => `${groupsPrefix}${group}`);
  // A provider that lets users name groups must not make one of them an administrator of the cluster.
  return prefixed.filter((group) => !group.startsWith(RESERVED) && !NO_NAME.test(group));
}

function usernameOf(claims: Claims, rules: ClaimRules): string {
  const { usernameClaim } = rules;
  const value = ownValue(claims, usernameClaim);
  if (typeof value !== 'string' || value === '') throw new RangeError(`the claim ${usernameClaim} is missing`);
  const isVerified = ownValue(claims, 'email_verified') ?? true;
  if (usernameClaim === EMAIL && isVerified !== true) throw new RangeError('the email is not verified');
  const username = `${prefixOf(rules)}${value}`;
  if (NO_NAME.test(username)) throw new RangeError('the name begins or ends with a space, or has control characters');
  if (username.startsWith(RESERVED)) throw new RangeError(`no user of this provider has a name with ${RESERVED}`);
  return username;
}

/**
 * Who a token is of, as kube-apiserver reads it, except that no name and no group of Kubernetes itself counts.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens
 */
export function userOfClaims(claims: Claims, rules: ClaimRules): Named {
  for (const [name, wanted] of rules.requiredClaims) {
    if (ownValue(claims, name) !== wanted) return { problem: `the token lacks the claim ${name} that is required` };
  }
  try {
    return { user: { username: usernameOf(claims, rules), groups: groupsOf(claims, rules) } };
  } catch (error: unknown) {
    if (error instanceof RangeError) return { problem: error.message };
    throw error;
  }
}

/** The issuer that a token claims to be of, before anything of it was verified; undefined if it is no JWT. */
export function claimedIssuer(token: string): string | undefined {
  const [, payload = '', signature] = token.split('.');
  if (signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const issuer: unknown =
      typeof claims === 'object' && claims !== null ? ownValue(claims as Claims, 'iss') : undefined;
    return typeof issuer === 'string' ? issuer : undefined;
  } catch {
    return undefined;
  }
}
