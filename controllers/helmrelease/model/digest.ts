import { createHash } from 'node:crypto';
import { RawNumber } from '#lib/json/lossless-json.js';
import { isMap } from '#lib/plain.js';
import { LINE_BREAK, printGoNumber, printGoString } from './go-yaml-scalar.js';
import { Int64 } from './set-path.js';

const STEP = 2;
const LONGEST_SIMPLE_KEY = 128;

function isBlock(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isMap(value) && Object.keys(value).length > 0;
}

/** Text of a value that fits behind `key: ` or `- `; `place` says where it starts. */
function printInline(value: unknown, indent: number, column: number): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return printGoString(value, { indent, column, key: false });
  if (typeof value === 'number') return printGoNumber(value);
  if (value instanceof Int64) return value.text;
  // Flux reads every JSON number into a float64 before it digests it.
  if (value instanceof RawNumber) return printGoNumber(value.valueOf());
  if (Array.isArray(value)) return '[]';
  if (isMap(value)) return '{}';
  return JSON.stringify(value);
}

/** A block or scalar behind a marker of two columns (`- `, `: `, `? `). */
function printMarked(marker: string, value: unknown, indent: number): string[] {
  const [first = '', ...rest] = isBlock(value)
    ? printBlock(value, indent + STEP)
    : `${' '.repeat(indent + STEP)}${printInline(value, indent + STEP, indent + STEP)}`.split('\n');
  return [`${' '.repeat(indent)}${marker} ${first.slice(indent + STEP)}`, ...rest];
}

function printEntry(key: string, value: unknown, indent: number): string[] {
  // Long and multi-line keys are written in YAML's explicit form.
  if (Buffer.byteLength(key) > LONGEST_SIMPLE_KEY || LINE_BREAK.test(key)) {
    return [...printMarked('?', key, indent), ...printMarked(':', value, indent)];
  }
  const label = `${' '.repeat(indent)}${printGoString(key, { indent, column: indent, key: true })}:`;
  // go-yaml does not indent a list below its key.
  if (Array.isArray(value) && value.length > 0) return [label, ...printList(value, indent)];
  if (isMap(value) && isBlock(value)) return [label, ...printMap(value, indent + STEP)];
  return `${label} ${printInline(value, indent + STEP, Array.from(label).length + 1)}`.split('\n');
}

/** Go compares bytes; that differs from comparing UTF-16 only where surrogates are. */
function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function printMap(value: Record<string, unknown>, indent: number): string[] {
  return Object.keys(value)
    .sort(byBytes)
    .flatMap((key) => printEntry(key, value[key], indent));
}

function printList(items: readonly unknown[], indent: number): string[] {
  return items.flatMap((item) => printMarked('-', item, indent));
}

function printBlock(value: unknown, indent: number): string[] {
  if (Array.isArray(value)) return printList(value, indent);
  return isMap(value) && isBlock(value) ? printMap(value, indent) : [printInline(value, indent, indent)];
}

/**
 * A tree of values as go-yaml v2 writes it with sorted keys. Byte-equal output is what makes our config digest equal
 * to Flux's, so that a hand-over makes no new revision. Never throws.
 */
export function printGoYaml(value: unknown): string {
  return `${printBlock(value, 0).join('\n')}\n`;
}

/** `sha256:<hex>` of UTF-8 text. */
export function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/**
 * Digest of composed values in Flux's form: over the go-yaml text with sorted keys. No values at all, or an empty map,
 * is the digest of nothing.
 */
export function configDigest(values: Readonly<Record<string, unknown>> | undefined): string {
  return sha256(values === undefined || Object.keys(values).length === 0 ? '' : printGoYaml(values));
}
