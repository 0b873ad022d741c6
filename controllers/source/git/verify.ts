import type { GitRepositorySpec } from '#api/flux/git-repository.js';
import { OverrunError, type Task } from '#runtime/isolation/offload.js';
import { TerminalError, TransientError } from '#lib/errors.js';
import type { Deps } from '../deps.js';
import { isTagNamed, signedCommit, signedTag, sshKeys, sshSigner, type Signed } from './model/signature.js';
import type { Report } from '../model/status.js';
import type { GitRepository } from '../model/source.js';
import { readSecret } from '../secrets.js';
import type { Git } from './git.js';
import type { Obtained } from './remote.js';

type Verification = NonNullable<GitRepositorySpec['verify']>;

interface Question {
  readonly signed: Signed;
  /** Armored PGP keys, any number in each. */
  readonly pgp: readonly string[];
  /** Lines `TYPE BASE64 COMMENT`, any number in each. */
  readonly ssh: readonly string[];
}

/** A commit or a tag with its signature, and what to call it. */
interface Subject {
  readonly what: string;
  readonly reason: 'InvalidCommitSignature' | 'InvalidTagSignature';
  readonly signed: Signed;
}

const SSH_KEY = /\.sshpub$/;
const PGP_KEY = /-----BEGIN PGP PUBLIC KEY BLOCK-----[\s\S]*?-----END PGP PUBLIC KEY BLOCK-----/g;
/** Longer ones are attacks. */
const MAX_OBJECT = 1024 * 1024;

/** Long id of the key that made a PGP signature; undefined when it is none of `armored`. */
async function pgpSigner({ payload, signature }: Signed, armored: readonly string[]): Promise<string | undefined> {
  const { createMessage, readKeys, readSignature, verify } = await import('openpgp');
  for (const block of armored.flatMap((text) => text.match(PGP_KEY) ?? [])) {
    for (const key of await readKeys({ armoredKeys: block }).catch(() => [])) {
      const message = await createMessage({ binary: Buffer.from(payload, 'latin1') });
      try {
        const made = await readSignature({ armoredSignature: signature });
        const { signatures } = await verify({
          message,
          signature: made,
          verificationKeys: key.toPublic(),
          format: 'binary',
        });
        // The signer writes the time of a signature: the key must be valid now, not only then. As in Flux.
        await Promise.any(signatures.map(({ verified, keyID }) => verified.then(() => key.getSigningKey(keyID))));
        return key.getKeyID().toHex().toUpperCase();
      } catch {
        // Not by this key, or it is expired, revoked or weak: another key may do.
      }
    }
  }
  return undefined;
}

/** @public Called by its name: keys and signatures are what users and servers write. */
export const signerTask: Task = {
  module: import.meta.url,
  name: 'signerTask',
  deadlineMs: 10_000,
  run: async (input) => {
    const { signed, pgp, ssh } = JSON.parse(input) as Question; // as signerOf prints it
    const isSsh = signed.signature.startsWith('-----BEGIN SSH SIGNATURE-----');
    const signer = isSsh ? sshSigner(signed, ssh.flatMap(sshKeys)) : await pgpSigner(signed, pgp);
    return signer ?? '';
  },
};

function modeOf({ mode }: Verification): 'HEAD' | 'Tag' | 'TagAndHEAD' {
  return mode === undefined || mode === 'head' ? 'HEAD' : mode;
}

/** The mode that a repository is verified in; undefined when it is not. */
export function verificationMode({ spec: { verify } }: GitRepository): string | undefined {
  return verify && modeOf(verify);
}

function unverified({ what, reason }: Omit<Subject, 'signed'>, why: string): TransientError {
  return new TransientError(`signature verification of ${what} failed: ${why}`, { reason });
}

async function tagOf(git: Git, name: string, { commit, object }: Obtained): Promise<Subject> {
  if (!name.startsWith('refs/tags/')) {
    const message = 'spec.verify.mode asks for a signed tag, but spec.ref names none: set tag or semver in spec.ref';
    throw new TerminalError('InvalidVerificationMode', message);
  }
  const tag = name.slice('refs/tags/'.length);
  const what = `tag '${tag}'`;
  const raw = object === commit ? '' : await git.bytes('cat-file', 'tag', object);
  const signed = raw.length > MAX_OBJECT ? undefined : signedTag(raw);
  if (signed !== undefined) {
    const subject = { what, signed, reason: 'InvalidTagSignature' } as const;
    if (isTagNamed(signed, tag)) return subject;
    throw unverified(subject, 'it was signed under another name');
  }
  const message = `cannot verify the signature of ${what}: it is not signed`;
  throw new TransientError(message, { reason: 'InvalidGitObject' });
}

async function commitOf(git: Git, { commit }: Obtained): Promise<Subject> {
  const what = `commit '${commit}'`;
  const raw = await git.bytes('cat-file', 'commit', commit);
  const signed = raw.length > MAX_OBJECT ? undefined : signedCommit(raw);
  if (signed !== undefined) return { what, signed, reason: 'InvalidCommitSignature' };
  throw unverified({ what, reason: 'InvalidCommitSignature' }, 'it is not signed');
}

async function signerOf(
  deps: Pick<Deps, 'offload'>,
  subject: Subject,
  keys: Omit<Question, 'signed'>,
  { secret, tenant }: { readonly secret: string; readonly tenant: string },
): Promise<string> {
  let why = `no key of the Secret '${secret}' made it`;
  try {
    const signer = await deps.offload.run(signerTask, JSON.stringify({ signed: subject.signed, ...keys }), tenant);
    if (signer !== '') return signer;
  } catch (error: unknown) {
    if (!(error instanceof OverrunError)) throw error;
    why = `it ${error.message}`;
  }
  throw unverified(subject, why);
}

/** What is to be verified, and with what it was found. */
export interface Claim {
  readonly git: Git;
  /** The reference that was looked up; empty for a commit. */
  readonly ref: string;
  readonly obtained: Obtained;
}

/**
 * Verifies the signatures that `spec.verify` asks for; `git` reads the mirror. Errors: TransientError
 * `InvalidCommitSignature` | `InvalidTagSignature` | `InvalidGitObject`, for another push may be signed; TerminalError
 * `InvalidVerificationMode`; WaitingError `VerificationError` without the Secret.
 */
export async function verifySignatures(
  deps: Deps,
  repository: GitRepository,
  { git, ref, obtained }: Claim,
  signal: AbortSignal,
): Promise<Report | undefined> {
  const { verify } = repository.spec;
  if (verify === undefined) return undefined;
  const secret = verify.secretRef.name;
  const reference = { field: 'spec.verify.secretRef', name: secret, reason: 'VerificationError' };
  const data = [...(await readSecret(deps, repository, reference, signal))];
  const keys = {
    ssh: data.flatMap(([name, text]) => (SSH_KEY.test(name) ? [text] : [])),
    pgp: data.flatMap(([name, text]) => (SSH_KEY.test(name) ? [] : [text])),
  };
  const mode = modeOf(verify);
  const subjects = [
    ...(mode === 'HEAD' ? [] : [await tagOf(git, ref, obtained)]),
    ...(mode === 'Tag' ? [] : [await commitOf(git, obtained)]),
  ];
  const tenant = repository.metadata.namespace ?? '';
  const signers: string[] = [];
  for (const subject of subjects) {
    const signer = await signerOf(deps, subject, keys, { secret, tenant });
    signers.push(`\n\t- ${subject.what} with key '${signer}'`);
  }
  return { reason: 'Succeeded', message: `verified signature of${signers.join('')}` };
}
