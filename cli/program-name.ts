/** Scripts of `package.json` that run the program. */
const SCRIPTS: readonly (string | undefined)[] = ['start', 'fairlead'];

/** How a user of this installation types the program: through npm in a checkout. */
export function programName(script = process.env['npm_lifecycle_event']): string {
  return SCRIPTS.includes(script) ? 'npm run -s fairlead --' : 'fairlead';
}

/** The text with its commands (`fairlead VERB` in backticks) as a user of this installation types them. */
export function asTyped(text: string, program = programName()): string {
  return text.replaceAll('`fairlead ', `\`${program} `);
}
