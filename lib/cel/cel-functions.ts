import type { Environment } from '@marcbachmann/cel-js';
import isEqualWith from 'lodash/isEqualWith.js';

/** What `sets.` and `base64.` stand for in an expression. */
class Sets {
  readonly name = 'sets';
}
class Base64 {
  readonly name = 'base64';
}

type List = readonly unknown[];

/** Strings are counted in code points; the index behind the last one is the empty string. */
function charAt(text: string, index: bigint): string {
  const characters = Array.from(text);
  if (index < 0n || index > BigInt(characters.length)) throw new Error(`index out of range: ${index}`);
  return characters[Number(index)] ?? '';
}

/** Replaces the first `count`, or all when it is negative. */
function replace(text: string, [from, to]: readonly [from: string, to: string], count: bigint): string {
  let left = count;
  return text.replaceAll(from, (found) => {
    if (left === 0n) return found;
    left -= 1n;
    return to;
  });
}

/** 1 and 1.0 are equal; undefined: not two numbers, compare them as they are. */
function sameNumber(a: unknown, b: unknown): boolean | undefined {
  const areNumbers = [a, b].every((value) => typeof value === 'bigint' || typeof value === 'number');
  return areNumbers ? (a as number) <= (b as number) && (a as number) >= (b as number) : undefined;
}

function decode(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new Error('illegal base64 data');
  return new Uint8Array(Buffer.from(text, 'base64'));
}

function isSubset(list: List, of: List): boolean {
  return list.every((item) => of.some((other) => isEqualWith(item, other, sameNumber)));
}

/** Functions that Flux's CEL has (cel-go's strings, sets and encoders) and the library has not. */
export function addFunctions(env: Environment): void {
  env.registerFunction('string.charAt(int): string', charAt);
  env.registerFunction('string.reverse(): string', (text: string) => Array.from(text).reverse().join(''));
  env.registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
    replace(text, [from, to], -1n),
  );
  env.registerFunction(
    'string.replace(string, string, int): string',
    (text: string, from: string, to: string, count: bigint) => replace(text, [from, to], count),
  );
  env.registerType('Sets', Sets);
  env.registerConstant('sets', 'Sets', new Sets());
  env.registerFunction('Sets.contains(list, list): bool', (_sets: Sets, a: List, b: List) => isSubset(b, a));
  env.registerFunction(
    'Sets.equivalent(list, list): bool',
    (_sets: Sets, a: List, b: List) => isSubset(a, b) && isSubset(b, a),
  );
  env.registerFunction('Sets.intersects(list, list): bool', (_sets: Sets, a: List, b: List) =>
    a.some((item) => isSubset([item], b)),
  );
  env.registerType('Base64', Base64);
  env.registerConstant('base64', 'Base64', new Base64());
  env.registerFunction('Base64.encode(bytes): string', (_base64: Base64, bytes: Uint8Array) =>
    Buffer.from(bytes).toString('base64'),
  );
  env.registerFunction('Base64.decode(string): bytes', (_base64: Base64, text: string) => decode(text));
}
