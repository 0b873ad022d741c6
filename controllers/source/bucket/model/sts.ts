import type { BucketSpec } from '#api/flux/bucket.js';
import { parseTimestamp } from '#lib/kube/conditions.js';
import { readXml } from './xml.js';

/** Keys of an object store that only are good for a time. */
export interface TemporaryKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** Why no keys can be asked for: a reason of a condition, and its message. */
interface StsProblem {
  readonly reason: 'InvalidSTSConfiguration' | 'URLInvalid';
  readonly problem: string;
}

type Sts = NonNullable<BucketSpec['sts']>;

const CREDENTIALS = 'AssumeRoleWithLDAPIdentityResponse/AssumeRoleWithLDAPIdentityResult/Credentials';
/** They become headers; a longer one, no server would take. */
const KEY = /^[\x21-\x7e]{1,256}$/;
const SESSION_TOKEN = /^[\x21-\x7e]{1,8192}$/;
/** Shorter than this, they would be asked for all the time. */
const SHORTEST_MS = 60_000;
/** The part of their time after which others are asked for, as in Flux. */
const USED = 0.8;

function mismatch({ provider = 'generic' }: BucketSpec, sts: Sts): string | undefined {
  if (provider === 'generic' && sts.provider !== 'ldap')
    return `spec.sts.provider ${sts.provider} is not for spec.provider generic: set it to ldap, or remove spec.sts`;
  if (provider !== 'aws') return undefined;
  if (sts.provider !== 'aws')
    return `spec.sts.provider ${sts.provider} is not for spec.provider aws: set spec.provider to generic, or remove spec.sts`;
  const unused = (['secretRef', 'certSecretRef'] as const).find((field) => sts[field] !== undefined);
  return unused && `spec.sts.${unused} is not used with spec.sts.provider aws: remove it`;
}

function isEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.hash}` === '';
}

/** What is wrong with `spec.sts`, also where `spec.secretRef` has the keys already. */
export function stsProblem(spec: BucketSpec): StsProblem | undefined {
  const { sts, secretRef } = spec;
  if (sts === undefined) return undefined;
  const problem = mismatch(spec, sts);
  if (problem !== undefined) return { reason: 'InvalidSTSConfiguration', problem };
  if (!isEndpoint(sts.endpoint)) {
    const example = 'write e.g. https://minio.example.com:9000, and the login into the Secret of spec.sts.secretRef';
    return { reason: 'URLInvalid', problem: `spec.sts.endpoint is not the URL of a server: ${example}` };
  }
  if (sts.provider !== 'ldap' || secretRef !== undefined || sts.secretRef !== undefined) return undefined;
  const needed = 'spec.sts.provider ldap needs a Secret with username and password: name it in spec.sts.secretRef';
  return { reason: 'InvalidSTSConfiguration', problem: needed };
}

/** What a login of LDAP is sent as. */
export function ldapForm(username: string, password: string): string {
  const fields = { Action: 'AssumeRoleWithLDAPIdentity', Version: '2011-06-15' };
  return new URLSearchParams({ ...fields, LDAPUsername: username, LDAPPassword: password }).toString();
}

/** The texts of the keys, by the names of their elements; undefined when it is no XML. */
function textsIn(xml: string): Map<string, string> | undefined {
  const texts = new Map<string, string>();
  const isRead = readXml(xml, {
    onText: (path, text) => {
      const name = path.at(-1) ?? '';
      if (path.slice(0, -1).join('/') === CREDENTIALS) texts.set(name, (texts.get(name) ?? '') + text);
    },
  });
  return isRead ? texts : undefined;
}

/** The keys in an answer to AssumeRoleWithLDAPIdentity, or what is wrong with it. */
export function keysIn(xml: string, nowMs: number): TemporaryKeys | { readonly problem: string } {
  const texts = textsIn(xml);
  const [accessKeyId = '', secretAccessKey = '', sessionToken = '', expiration = ''] = [
    ...['AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Expiration'].map((name) => texts?.get(name)?.trim()),
  ];
  const expiresAtMs = parseTimestamp(expiration);
  const areKeys = KEY.test(accessKeyId) && KEY.test(secretAccessKey) && SESSION_TOKEN.test(sessionToken);
  if (!areKeys || expiresAtMs === undefined) return { problem: 'answers with something else than keys' };
  if (expiresAtMs - nowMs < SHORTEST_MS) {
    return { problem: `gives keys that are good for less than a minute by the clock of this controller` };
  }
  return { accessKeyId, secretAccessKey, sessionToken, issuedAtMs: nowMs, expiresAtMs };
}

/** True while keys are good for a request, and for the time that it may take. */
export function areFresh({ issuedAtMs, expiresAtMs }: TemporaryKeys, nowMs: number): boolean {
  return nowMs - issuedAtMs < (expiresAtMs - issuedAtMs) * USED;
}
