const TEN = '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]';

/** A CEL expression with nested loops of ten thousand million steps. */
export function endlessExpression(): string {
  return `${`${TEN}.all(x, `.repeat(10)}true${')'.repeat(10)}`;
}

/** A CEL expression that replaces a text inside itself. V8 makes so many pieces of it that it aborts the process. */
export function bombExpression(): string {
  const s = 'a'.repeat(109);
  return `['${s}'.replace('a', '${s}')].all(s, s.replace('a', s.replace('a', ',')).split(',').size() > 0)`;
}
