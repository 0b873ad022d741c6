import { NO_SPACE } from '#engine/artifact/disk-error.js';
import { TransientError } from '#lib/errors.js';

const MAX_LENGTH = 600;
/** Servers decide what git says, and the patterns below may read a text once for each of its characters. */
const MAX_READ = 4_096;
/** A shorter password, e.g. `x` next to a token, occurs in any text. */
const SHORT = 6;
/** Also the alarm of ssh about a key that changed, behind which nobody would find that it did. */
const NOISE =
  /^(warning|hint):|^\s*$|^@|^(IT IS POSSIBLE|Someone could|It is also possible|Please (contact|make sure)|Offending |and the repository)/;
/** How git reports an answer over http without success; the page of the server, as `remote:`, could be of anybody. */
const HTTP_ERROR = /^fatal: (?:unable to access|repository '.*' not found|Authentication failed for)/m;
/** All that GnuTLS, with which Debian builds git, says of a certificate. */
const UNVERIFIED = / CAfile: .*? CRLfile: \S+/g;
const REMOTE = /^remote:/;

/** Every occurrence of a secret that is long enough to be told from other text; of a short one those that are words. */
function occurrences(secret: string): RegExp {
  const literal = secret.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(secret.length < SHORT ? String.raw`(?<![\w-])${literal}(?![\w-])` : literal, 'g');
}

/**
 * The output of git as one stable line for a condition: no hints, no durations, no credentials. `secrets` are masked
 * wherever they occur.
 */
export function gitMessage(stderr: string, secrets: readonly string[] = []): string {
  const isHttp = HTTP_ERROR.test(stderr);
  const lines = stderr.split(/[\r\n]+/).filter((line) => !NOISE.test(line) && !(isHttp && REMOTE.test(line)));
  const masked = secrets
    .filter((secret) => secret !== '')
    .reduce((line, secret) => line.replaceAll(occurrences(secret), '***'), lines.join('; '));
  return masked
    .slice(0, MAX_READ)
    .replaceAll(UNVERIFIED, ' It has expired, or its CA is not trusted')
    .replaceAll(/ after \d+ ms/g, '')
    .replaceAll(/(\w+:\/\/)[^/@\s]+@/g, '$1')
    .slice(0, MAX_LENGTH);
}

/** What git said, where something follows from it. */
type GitFailure = 'CommitRefused' | 'CommitUnknown' | 'DiskFull' | 'ObjectsLost' | 'Redirected';

const FAILURES: readonly (readonly [failure: GitFailure, said: RegExp])[] = [
  // Of a file that it checks out, and of its index, git does not say why. What a server says is about its own disk.
  [
    'DiskFull',
    /^(error|fatal): (?!remote error:|couldn't find remote ref)(.*: (No space left on device|Disk quota exceeded)|unable to write (file .*|new[ _]index file))$/m,
  ],
  // By git and by JGit, where only what a reference names may be asked for.
  ['CommitRefused', /unadvertised object|not allowed|want [0-9a-f]+ not valid/],
  ['CommitUnknown', /not our ref/],
  ['Redirected', /^fatal: unable to access .*: The requested URL returned error: 30[12378]$/m],
  [
    'ObjectsLost',
    /^(error|fatal): .*(not a tree object|bad (tree )?object|missing blob|unable to (read|unpack)|could not read|is corrupt|not match index|failed to unpack tree|all necessary objects|valid object name)/im,
  ],
];

/** Undefined: nothing but its message. */
export function gitFailure(stderr: string): GitFailure | undefined {
  return FAILURES.find(([, said]) => said.test(stderr))?.[0];
}

/** Git ended by itself and failed; what ends a git that runs is another error. */
export class GitError extends TransientError {
  readonly failure: GitFailure | undefined;
  /** The bare repository in which it ran, if any. */
  readonly repository: string | undefined;

  constructor(
    message: string,
    { stderr, repository }: { readonly stderr: string; readonly repository: string | undefined },
  ) {
    const failure = gitFailure(stderr);
    // Nothing that a user of the repository can fix.
    if (failure === 'DiskFull') super(NO_SPACE, { reason: 'StorageOperationFailed' });
    else super(message, { reason: 'GitOperationFailed' });
    this.failure = failure;
    this.repository = repository;
  }
}

/** A repository that cannot be fetched as it is. */
export function gitFailed(problem: string, cause?: unknown): TransientError {
  return new TransientError(problem, { reason: 'GitOperationFailed', cause });
}
