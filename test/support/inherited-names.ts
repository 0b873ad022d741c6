/** Texts that every plain object answers to although nobody stored them. */
export const INHERITED = ['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty'] as const;
