import { randomUUID } from 'node:crypto';

/**
 * Marks a number inside the JSON text while it passes JSON.parse or JSON.stringify; unguessable, so no user text can
 * hold it.
 */
const MARK = `raw-${randomUUID()}:`;
/** Cheap test first: only a run of 16 digits or an exponent of three can be a number that a double changes. */
const SUSPICIOUS = /[0-9](?:[0-9.]){15,}|(?:^|[[:,\s])-?[0-9.]+[eE][+-]?[0-9]{3}/;
const LONG_EXPONENT = /[eE][+-]?[0-9]{3}/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g');

/** A number whose text a double would change; prints as the very text that was read. */
export class RawNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return MARK + this.text;
  }
}

function isLossy(token: string): boolean {
  if (token.startsWith('"')) return false;
  return (token.length > 15 || LONG_EXPONENT.test(token)) && String(Number(token)) !== token;
}

function revive(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(MARK) ? new RawNumber(value.slice(MARK.length)) : value;
}

/** JSON.parse in which a number that a double cannot hold becomes a RawNumber. Throws a SyntaxError on bad JSON. */
export function parseJson(text: string): unknown {
  if (!SUSPICIOUS.test(text)) return JSON.parse(text);
  const marked = text.replace(STRING_OR_NUMBER, (token) => (isLossy(token) ? `"${MARK}${token}"` : token));
  return JSON.parse(marked, revive);
}

/** JSON.stringify that writes each RawNumber as it was read. */
export function printJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(MARK) ? text.replace(MARKED, '$1') : text;
}
