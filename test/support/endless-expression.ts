const TEN = '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]';

/** In CEL: loops within loops, which go round ten thousand million times. */
export function endlessExpression(): string {
  return `${`${TEN}.all(x, `.repeat(10)}true${')'.repeat(10)}`;
}

/** In CEL: a text that replaces itself in itself, of which V8 makes so many pieces that it aborts the process. */
export function bombExpression(): string {
  const s = 'a'.repeat(109);
  return `['${s}'.replace('a', '${s}')].all(s, s.replace('a', s.replace('a', ',')).split(',').size() > 0)`;
}
