/** How a user of this installation types the program: through npm in a checkout. */
export function programName(): string {
  return process.env['npm_lifecycle_event'] === undefined ? 'fairlead' : 'npm run -s fairlead --';
}
