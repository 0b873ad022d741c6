import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';

const PRIVATE = 0o600;

/** Users of a sandbox cluster; all are administrators, told apart in the audit log. */
const USERS = ['sandbox-admin', 'system:kube-controller-manager', 'system:kube-scheduler', 'kwok'] as const;
export type User = (typeof USERS)[number];

/** One bearer token per user. */
export type Tokens = Readonly<Record<User, string>>;

export function newTokens(): Tokens {
  // The keys are the users, one by one.
  return Object.fromEntries(USERS.map((user) => [user, randomBytes(24).toString('hex')])) as Record<User, string>;
}

/** The file for `--token-auth-file`. */
export function tokenFile(tokens: Tokens): string {
  return USERS.map((user) => `${tokens[user]},${user},${user},system:masters\n`).join('');
}

/** Writes `name.key` and `name.pub` (PEM), with which the API servers sign and check service account tokens. */
export async function writeSigningKeys(
  folder: string,
  name: string,
): Promise<{ privateKey: string; publicKey: string }> {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
  });
  const files = { privateKey: path.join(folder, `${name}.key`), publicKey: path.join(folder, `${name}.pub`) };
  await writeFile(files.privateKey, pair.privateKey, { mode: PRIVATE });
  await writeFile(files.publicKey, pair.publicKey, { mode: PRIVATE });
  return files;
}

export interface KubeconfigInput {
  readonly cluster: string;
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  readonly user: string;
  readonly token: string;
}

/** A kubeconfig with nothing outside itself: no file paths, no plugins, verified TLS. */
export function kubeconfigText(input: KubeconfigInput): string {
  const { cluster, server, ca, user, token } = input;
  // Kubeconfigs of several clusters are read as one, and there the first of two equal names wins.
  const account = `${cluster}:${user}`;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: cluster, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: account, user: { token } }],
    contexts: [{ name: cluster, context: { cluster, user: account } }],
    'current-context': cluster,
  });
}

export async function writeKubeconfig(file: string, input: KubeconfigInput): Promise<void> {
  await writeFile(file, kubeconfigText(input), { mode: PRIVATE });
}
