import { NO_SPACE } from '#engine/artifact/disk-error.js';
import { TransientError } from '#lib/errors.js';

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
