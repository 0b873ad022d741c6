/**
 * Why there is no answer: the cluster that was asked for is not one of the Application, the Application is rejected as
 * a whole, its template was not validated yet, there is more to read or to compute than is done for one answer, what is
 * deployed may not be read, or there is no helm.
 */
export type PreviewReason = 'NoDestination' | 'Rejected' | 'Pending' | 'TooLarge' | 'Forbidden' | 'Unrendered';

/** What the controllers would do cannot be said. */
export class PreviewError extends Error {
  override readonly name = 'PreviewError';
  readonly reason: PreviewReason;

  constructor(reason: PreviewReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
