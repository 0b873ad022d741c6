import { open } from 'node:fs/promises';
import type { OCIRepositorySpec } from '#api/flux/oci-repository.js';
import { oneLine } from '#lib/text/text.js';
import { TerminalError, TransientError } from '#lib/errors.js';
import type { RegistryRepository } from '#lib/net/registry-name.js';
import type { Deps } from '../deps.js';
import type { Trust } from './model/signatures.js';
import { notSupported, type Source } from '../model/source.js';
import type { Registry } from '../oci/registry.js';
import { readSecret, unusableSecret } from '../secrets.js';
import { findSignatures } from './find.js';
import { signatureProblemsTask } from './task.js';

/** A trusted_root.json has some KB. */
const MAX_BYTES = 1024 * 1024;

/** The text of a trust root. Throws for what cannot be read, or is no file, or too large. */
export async function readTrustedRoot(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size > MAX_BYTES) throw new RangeError(`not a file of at most ${MAX_BYTES} bytes`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

const SHOWN_PROBLEMS = 3;
const SHOWN_CHARACTERS = 300;

/**
 * The first problems as the end of a message; empty without any. A writer of the registry has a say in them: each is one
 * short line.
 */
export function shownProblems(problems: readonly string[]): string {
  const shown = [...new Set(problems)].slice(0, SHOWN_PROBLEMS);
  if (shown.length === 0) return '';
  return ` (${shown.map((problem) => oneLine(problem.slice(0, SHOWN_CHARACTERS))).join('; ')})`;
}

type Verification = NonNullable<OCIRepositorySpec['verify']>;

/** What must be signed. */
export interface Signed {
  readonly registry: Registry;
  readonly place: RegistryRepository;
  readonly digest: string;
}

const REASON = 'VerificationError';
const TRUSTED_ROOT = 'trusted_root.json';
const KEY = /\.pub$/;

/** Throws TerminalError `FeatureNotSupported` for a kind of signature that cannot be verified. */
export function requireCosign({ verify }: { readonly verify?: Verification | undefined }): void {
  if (verify?.provider === 'notation') throw notSupported('spec.verify.provider notation', 'sign with cosign');
}

/** What the keys of one source are read with. */
interface Reading {
  readonly deps: Deps;
  readonly source: Source;
  readonly signal: AbortSignal;
}

async function keysIn({ deps, source, signal }: Reading, name: string): Promise<Record<string, string>> {
  const reference = { field: 'spec.verify.secretRef', name, reason: REASON };
  const keys = [...(await readSecret(deps, source, reference, signal))].filter(([entry]) => KEY.test(entry));
  if (keys.length === 0) throw unusableSecret(deps, reference, 'it has no public keys: add one as NAME.pub');
  return Object.fromEntries(keys);
}

async function trustedRootIn({ deps, source, signal }: Reading, name: string): Promise<string> {
  const reference = { field: 'spec.verify.trustedRootSecretRef', name, reason: REASON };
  const text = (await readSecret(deps, source, reference, signal)).get(TRUSTED_ROOT);
  if (text !== undefined) return text;
  throw unusableSecret(deps, reference, `it has no ${TRUSTED_ROOT}: add it`);
}

async function trustedRootOfController({ trustedRootFile }: Deps): Promise<string> {
  if (trustedRootFile === undefined) {
    const message =
      'spec.verify without secretRef asks for a keyless signature, and nothing says whose are to be trusted: set secretRef, or start the controller with --sigstore-trusted-root';
    throw new TerminalError(REASON, message);
  }
  try {
    return await readTrustedRoot(trustedRootFile);
  } catch (cause: unknown) {
    const message = 'the file of --sigstore-trusted-root cannot be read: see the log of the controller';
    throw new TransientError(message, { reason: REASON, cause });
  }
}

async function trustOf(reading: Reading, verification: Verification): Promise<Trust> {
  const { secretRef, trustedRootSecretRef, matchOIDCIdentity = [] } = verification;
  if (secretRef !== undefined) return { kind: 'keys', keys: await keysIn(reading, secretRef.name) };
  const trustedRoot =
    trustedRootSecretRef === undefined
      ? await trustedRootOfController(reading.deps)
      : await trustedRootIn(reading, trustedRootSecretRef.name);
  return { kind: 'keyless', trustedRoot, identities: matchOIDCIdentity };
}

function unverified(problems: readonly string[], shown: string, trust: Trust): TransientError {
  const provider = trust.kind === 'keys' ? 'cosign' : 'cosign keyless';
  const message = `failed to verify the signature using provider '${provider}': no matching signatures were found for '${shown}'${shownProblems(problems)}`;
  return new TransientError(message, { reason: REASON });
}

/**
 * Verifies that `spec.verify` accepts a signature of what is to be fetched; nothing without `spec.verify`. Errors, all
 * `VerificationError`: TransientError, for somebody may sign it yet; WaitingError without the Secret; TerminalError
 * without a trust root.
 */
export async function requireSignature(
  deps: Deps,
  source: Source,
  verification: Verification,
  { signed: { registry, place, digest }, signal }: { readonly signed: Signed; readonly signal: AbortSignal },
): Promise<void> {
  const trust = await trustOf({ deps, source, signal }, verification);
  const tenant = source.metadata.namespace ?? '';
  const { signatures, problems } = await findSignatures({ offload: deps.offload, registry, tenant, digest });
  const refused = await signatureProblemsTask.ask(deps.offload, { digest, signatures, trust }, tenant);
  if (refused !== undefined)
    throw unverified([...problems, ...refused], `${place.host}/${place.name}@${digest}`, trust);
}
