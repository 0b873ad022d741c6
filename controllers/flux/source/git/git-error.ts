import { TransientError } from '#controllers/runtime/pure/errors.js';
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
    super(message, { reason: 'GitOperationFailed' });
    this.failure = gitFailure(stderr);
    this.repository = repository;
  }
}
