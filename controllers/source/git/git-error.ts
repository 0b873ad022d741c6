import { NO_SPACE } from '#engine/artifact/disk-error.js';
import { TransientError } from '#lib/errors.js';
import { gitFailure, type GitFailure } from '../model/git-failure.js';

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
