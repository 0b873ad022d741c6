/** Flags of every verb, wherever they stand. */
export const GLOBAL_FLAGS: readonly string[] = ['--debug', '--no-color'];
